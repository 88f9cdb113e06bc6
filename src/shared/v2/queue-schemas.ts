// The v2 documents of the review queue and of reports.
import { Type, type Static } from 'typebox'
import { Image } from './schemas.ts'
import { openEnum, orNull, pageOf, strict, timestamp, timestampOrNull } from './schema-parts.ts'

const Person = Type.Object(
  { acctID: Type.Integer(), displayName: Type.String() },
  { ...strict, title: 'Person' },
)

/** Why somebody may report a listed photo. */
export const reportReasons = [
  'privacy',
  'offensive',
  'not-the-trail',
  'wrong-place',
  'copyright',
  'spam',
  'other',
] as const
export type ReportReason = (typeof reportReasons)[number]

const reportReason = openEnum(
  reportReasons,
  'What is wrong: it shows somebody who does not want it, offends, shows no trail or another one, is in the wrong place, belongs to somebody else, advertises, or something else, which the note tells.',
  'ReportReason',
)

export const flagCodes = [
  'far-from-trail',
  'no-position',
  'near-duplicate',
  'same-bytes',
  'first-photo',
] as const

export const ReviewFlag = Type.Object(
  {
    code: openEnum(
      flagCodes,
      'far-from-trail: further from the line of its trail than the setting FAR_FROM_TRAIL_METRES, by more than its position is accurate to. no-position: it has no location. near-duplicate: other photos of the same trail look the same. same-bytes: the same file was sent before, anywhere. first-photo: no photo of the submitter was accepted so far.',
    ),
    metres: Type.Optional(Type.Integer({ description: 'Of far-from-trail: from the line of the trail.' })),
    imageIDs: Type.Optional(
      Type.Array(Type.Integer(), {
        description:
          'Of near-duplicate and same-bytes: the others, nearest first, ten at most. Of same-bytes only those that the reviewer may review: empty where all are on other trails.',
      }),
    ),
    distance: Type.Optional(
      Type.Integer({ description: 'Of near-duplicate: in how many of 64 bits the nearest differs; 0 to 7.' }),
    ),
  },
  { ...strict, title: 'ReviewFlag' },
)
export type ReviewFlag = Static<typeof ReviewFlag>

const Edit = Type.Object(
  {
    before: Type.String({ description: 'As review accepted it.' }),
    after: Type.String({ description: 'As it is now.' }),
  },
  { ...strict, title: 'Edit' },
)

const OpenReport = Type.Object(
  {
    reportID: Type.Integer(),
    at: timestamp('When it was reported.'),
    reason: reportReason,
    note: Type.String({ description: 'May be empty.' }),
  },
  { ...strict, title: 'OpenReport' },
)

const Queue = Type.Object(
  {
    waitingSince: timestamp('Since when it waits; it stays as long as it does.'),
    why: Type.Array(openEnum(['pending', 'edited', 'reported'], 'What is to be decided.'), {
      description:
        'pending: never approved, or back from being so. edited: listed with a title or caption that differs from the approved one. reported: listed, and visitors reported it. An edited one may be reported too.',
    }),
    flags: Type.Array(ReviewFlag, { description: 'What to look at twice, as things are at this moment.' }),
    edits: orNull(
      Type.Object(
        { title: Type.Optional(Edit), caption: Type.Optional(Edit) },
        { ...strict, title: 'Edits' },
      ),
      'Of texts that differ from those that review accepted: each that does, before and after.',
    ),
    reports: Type.Object(
      {
        open: Type.Integer({ description: 'Reports that are still open.' }),
        items: Type.Array(OpenReport, { description: 'The oldest three of them.' }),
      },
      { ...strict, title: 'OpenReports' },
    ),
    claim: orNull(
      Type.Object(
        { ...Person.properties, until: timestamp('When the claim ends by itself.') },
        { ...strict, title: 'QueueClaim' },
      ),
      'Who is looking at it just now.',
    ),
    submitter: Type.Object(
      {
        ...Person.properties,
        trusted: Type.Boolean({ description: 'Whether photos of theirs skip review.' }),
        approved: Type.Integer({ description: 'Their photos that are listed now, counted up to 1,000.' }),
        rejected: Type.Integer({ description: 'Their photos that are rejected now, counted up to 1,000.' }),
      },
      { ...strict, title: 'Submitter' },
    ),
  },
  { ...strict, title: 'Queue', description: 'What a reviewer needs to decide.' },
)
export type QueuePart = Static<typeof Queue>

export const QueueItem = Type.Object({ ...Image.properties, queue: Queue }, { ...strict, title: 'QueueItem' })
export type QueueItem = Static<typeof QueueItem>

export const QueueSet = pageOf(QueueItem, 'QueueSet')

export const QueueSummary = Type.Object(
  {
    pending: Type.Integer(),
    edited: Type.Integer({ description: 'Listed, with texts that review has not seen.' }),
    reported: Type.Integer({ description: 'Listed, and reported; an edited one may be counted here too.' }),
    oldest: timestampOrNull('Since when the oldest of all waits.'),
  },
  { ...strict, title: 'QueueSummary' },
)

const note = (description: string) => Type.Optional(Type.String({ maxLength: 2_000, description }))

export const NewReport = Type.Object(
  { reason: reportReason, note: note('For the reviewers; up to 2,000 characters.') },
  { ...strict, title: 'NewReport' },
)

export const MadeReport = Type.Object(
  {
    reportID: orNull(
      Type.Integer(),
      'Null where so many people have reported the photo already that one more tells nothing new.',
    ),
  },
  { ...strict, title: 'MadeReport' },
)

export const ReportDismissal = Type.Object(
  { note: note('For the audit; up to 2,000 characters.') },
  { ...strict, title: 'ReportDismissal' },
)

export const DismissedReports = Type.Object(
  { closed: Type.Integer({ description: 'How many were open.' }) },
  { ...strict, title: 'DismissedReports' },
)

export const Report = Type.Object(
  {
    ...OpenReport.properties,
    reporter: orNull(Person, 'Null if the reporter was not signed in.'),
    closedAt: timestampOrNull('Null while it is open.'),
    closedBy: orNull(Person, 'Who decided on the photo, or dismissed its reports.'),
  },
  { ...strict, title: 'Report' },
)
export type Report = Static<typeof Report>

export const ReportSet = pageOf(Report, 'ReportSet')
