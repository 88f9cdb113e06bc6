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
  'What is wrong: it shows someone without their consent, is offensive, does not show the trail, has the wrong location, infringes copyright, is advertising, or something else that the note explains.',
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
      'far-from-trail: farther from the line of its trail than the setting FAR_FROM_TRAIL_METRES, after subtracting the accuracy of its position. no-position: it has no location. near-duplicate: other photos of the same trail look the same. same-bytes: the same file was uploaded before, to any trail. first-photo: no photo of the submitter has been published yet.',
    ),
    metres: Type.Optional(
      Type.Integer({ description: 'For far-from-trail: distance from the line of the trail.' }),
    ),
    imageIDs: Type.Optional(
      Type.Array(Type.Integer(), {
        description:
          'For near-duplicate and same-bytes: up to ten other images, closest first. For same-bytes only those that the reviewer may review; empty if all are on other trails.',
      }),
    ),
    distance: Type.Optional(
      Type.Integer({
        description:
          'For near-duplicate: the number of bits, of 64, in which the hash of the closest differs; 0 to 7.',
      }),
    ),
  },
  { ...strict, title: 'ReviewFlag' },
)
export type ReviewFlag = Static<typeof ReviewFlag>

const Edit = Type.Object(
  {
    before: Type.String({ description: 'The accepted text.' }),
    after: Type.String({ description: 'The current text.' }),
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
    waitingSince: timestamp('When it entered the queue; unchanged while it is in the queue.'),
    why: Type.Array(openEnum(['pending', 'edited', 'reported'], 'Why it needs a decision.'), {
      description:
        'pending: never approved, or reopened. edited: published with a title or caption that differs from the approved one. reported: published, and reported by visitors. An edited photo may also be reported.',
    }),
    flags: Type.Array(ReviewFlag, { description: 'Hints for the reviewer, always up to date.' }),
    edits: orNull(
      Type.Object(
        { title: Type.Optional(Edit), caption: Type.Optional(Edit) },
        { ...strict, title: 'Edits' },
      ),
      'Title and caption, each only if it differs from the accepted text, before and after.',
    ),
    reports: Type.Object(
      {
        open: Type.Integer({ description: 'Number of open reports.' }),
        items: Type.Array(OpenReport, { description: 'The three oldest open reports.' }),
      },
      { ...strict, title: 'OpenReports' },
    ),
    claim: orNull(
      Type.Object(
        { ...Person.properties, until: timestamp('When the claim expires.') },
        { ...strict, title: 'QueueClaim' },
      ),
      'Who has claimed it.',
    ),
    submitter: Type.Object(
      {
        ...Person.properties,
        trusted: Type.Boolean({ description: 'Whether their photos are published without review.' }),
        approved: Type.Integer({ description: 'Number of their published photos, counted up to 1,000.' }),
        rejected: Type.Integer({ description: 'Number of their rejected photos, counted up to 1,000.' }),
      },
      { ...strict, title: 'Submitter' },
    ),
  },
  { ...strict, title: 'Queue', description: 'What reviewers need for a decision.' },
)
export type QueuePart = Static<typeof Queue>

export const QueueItem = Type.Object({ ...Image.properties, queue: Queue }, { ...strict, title: 'QueueItem' })
export type QueueItem = Static<typeof QueueItem>

export const QueueSet = pageOf(QueueItem, 'QueueSet')

export const QueueSummary = Type.Object(
  {
    pending: Type.Integer(),
    edited: Type.Integer({ description: 'Published photos with unreviewed edits.' }),
    reported: Type.Integer({
      description: 'Published photos with open reports; edited photos may also be counted here.',
    }),
    oldest: timestampOrNull('When the oldest entry entered the queue.'),
  },
  { ...strict, title: 'QueueSummary' },
)

const note = (description: string) => Type.Optional(Type.String({ maxLength: 2_000, description }))

export const NewReport = Type.Object(
  { reason: reportReason, note: note('For reviewers; up to 2,000 characters.') },
  { ...strict, title: 'NewReport' },
)

export const MadeReport = Type.Object(
  {
    reportID: orNull(
      Type.Integer(),
      'Null if the photo already has the maximum number of open reports; the report was not stored.',
    ),
  },
  { ...strict, title: 'MadeReport' },
)

export const ReportDismissal = Type.Object(
  { note: note('For the history; up to 2,000 characters.') },
  { ...strict, title: 'ReportDismissal' },
)

export const DismissedReports = Type.Object(
  { closed: Type.Integer({ description: 'Number of reports that were closed.' }) },
  { ...strict, title: 'DismissedReports' },
)

export const Report = Type.Object(
  {
    ...OpenReport.properties,
    reporter: orNull(Person, 'Null if the reporter was not signed in.'),
    closedAt: timestampOrNull('Null while the report is open.'),
    closedBy: orNull(Person, 'Who decided on the photo, or dismissed its reports.'),
  },
  { ...strict, title: 'Report' },
)
export type Report = Static<typeof Report>

export const ReportSet = pageOf(Report, 'ReportSet')
