// GET /v2/review/queue and /v2/review/summary; reports of listed photos, and what becomes of them.
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { parseId } from '../shared/classic/classic-paths.ts'
import { writeTimestamp } from '../shared/v2/timestamps.ts'
import {
  DismissedReports,
  MadeReport,
  NewReport,
  QueueSet,
  QueueSummary,
  ReportDismissal,
  ReportSet,
  type Report as ReportDocument,
  type ReportReason,
} from '../shared/v2/queue-schemas.ts'
import { hasBody } from '../http/bodies/incoming.ts'
import { v2Operation } from '../http/openapi/openapi.ts'
import { idQuery, pageQuery, queryId, queryWord, readPage, sendPage, wrongParameter } from '../http/paging.ts'
import { secretly, sendRepresentation } from '../http/representation.ts'
import { createBodyReader } from '../http/bodies/v2-body.ts'
import { waitingKinds } from './queue-table.ts'
import type { Queue } from './queue.ts'
import type { Report } from './reports/report-table.ts'
import type { Reports } from './reports/report.ts'
import { stringEnum } from '../shared/v2/schema-parts.ts'

export interface QueueEndpointsDependencies {
  readonly queue: Queue
  readonly reports: Reports
  readonly publicUrl: string
}

const hands = ['mine', 'others', 'none'] as const

/** The two whole numbers of a cursor. @throws refusal `invalid-query`. */
function placeOf(after: readonly string[] | undefined): readonly [number, number] | undefined {
  if (after === undefined) return undefined
  const [moment = Number.NaN, id = Number.NaN] = after.map(Number)
  if (Number.isSafeInteger(moment) && Number.isSafeInteger(id)) return [moment, id]
  throw wrongParameter('cursor', 'the "next" of a previous response')
}

function registerQueue(app: FastifyInstance, { queue, publicUrl }: QueueEndpointsDependencies): void {
  const access = { credential: 'bearer', action: 'view-queue' } as const
  const listQuery = Type.Object({
    status: Type.Optional(stringEnum(waitingKinds, 'Why it is in the queue.')),
    trailID: idQuery(),
    submitterID: idQuery(),
    claimed: Type.Optional(stringEnum(hands, 'Only images claimed by the caller, by others, or unclaimed.')),
    ...pageQuery,
  })

  app.get(
    '/v2/review/queue',
    {
      config: { access },
      schema: v2Operation({
        summary: 'List the review queue',
        description:
          'For reviewers (on their trails) and admins: pending photos, published photos with unreviewed edits, and published photos reported by visitors. Longest waiting first, in a stable order. Each item is the image as in GET /v2/images/{imageID}, with review data in queue. Flags are always up to date.',
        query: listQuery,
        answer: QueueSet,
        refusals: ['invalid-query', 'forbidden', 'insufficient-scope'],
      }),
    },
    async (request, reply) => {
      queue.requireReviewer(request.actor)
      const { limit, after } = readPage(request, 2)
      const [queuedAt, id] = placeOf(after) ?? []
      const filters = {
        kind: queryWord(request, 'status', waitingKinds),
        trailId: queryId(request, 'trailID'),
        submitterId: queryId(request, 'submitterID'),
        claimed: queryWord(request, 'claimed', hands),
        after: queuedAt === undefined || id === undefined ? undefined : { queuedAt, id },
      }
      const { rows, show } = await queue.list(request.actor, filters, limit)
      return sendPage(request, reply, {
        rows,
        limit,
        show,
        cursorOf: (row) => [row.queuedAt, row.id],
        publicUrl,
      })
    },
  )

  app.get(
    '/v2/review/summary',
    {
      config: { access },
      schema: v2Operation({
        summary: 'Count the review queue',
        description: 'On the trails that the reviewer may review, at the time of the request.',
        answer: QueueSummary,
        refusals: ['forbidden', 'insufficient-scope'],
      }),
    },
    async (request, reply) => {
      const { oldest, ...counts } = await queue.summary(request.actor)
      const body = JSON.stringify({ ...counts, oldest: oldest === null ? null : writeTimestamp(oldest) })
      return sendRepresentation(request, reply, { mediaType: 'application/json', body })
    },
  )
}

const personOf = (acctID: number | null, displayName: string | null) =>
  acctID === null || displayName === null ? null : { acctID, displayName }

function showReport({ id, at, reason, note, closedAt, ...people }: Report): ReportDocument {
  return {
    reportID: id,
    at: writeTimestamp(at),
    reason: reason as ReportReason,
    note,
    reporter: personOf(people.reporterId, people.reporterName),
    closedAt: closedAt === null ? null : writeTimestamp(closedAt),
    closedBy: personOf(people.closerId, people.closerName),
  }
}

interface ImagePath {
  readonly Params: { readonly imageID: string }
}

function registerReports(app: FastifyInstance, { reports, publicUrl }: QueueEndpointsDependencies): void {
  const readReport = createBodyReader(NewReport)
  const readDismissal = createBodyReader(ReportDismissal)
  const reporting = v2Operation({
    ids: ['imageID'],
    summary: 'Report a published photo',
    description:
      'For anyone, signed in or not: reviewers see the report in their queue. The photo stays published until one of them decides. A signed-in user has one open report per photo; repeating it returns 200 with the first one. A photo can have 100 open reports; further ones return 200 and are not stored.',
    body: NewReport,
    status: 201,
    answer: MadeReport,
    refusals: ['invalid-image-id', 'not-listed', 'read-only'],
  })
  const known = {
    description: 'The report already exists, or was not stored.',
    content: { 'application/json': { schema: MadeReport } },
  }

  app.post<ImagePath>(
    '/v2/images/:imageID/reports',
    {
      config: { access: { credential: 'visitor', action: 'report-image' } },
      schema: { ...reporting, response: { 200: known, ...(reporting.response as object) } },
    },
    async (request, reply) => {
      const imageId = await reports.requireListed(request.actor, parseId(request.params.imageID))
      const { reason, note = '' } = await readReport(request)
      const { reportId, isNew } = await reports.take(request.actor, imageId, { reason, note })
      return secretly(reply)
        .code(isNew ? 201 : 200)
        .send({ reportID: reportId })
    },
  )

  app.get<ImagePath>(
    '/v2/images/:imageID/reports',
    {
      config: { access: { credential: 'bearer', action: 'view-queue' } },
      schema: v2Operation({
        ids: ['imageID'],
        summary: 'List the reports of a photo',
        description: 'For staff who may review it: open and closed reports, oldest first.',
        query: Type.Object(pageQuery),
        answer: ReportSet,
        refusals: ['invalid-image-id', 'forbidden', 'insufficient-scope', 'invalid-query'],
      }),
    },
    async (request, reply) => {
      const asked = parseId(request.params.imageID)
      const imageId = await reports.requireReviewable(request.actor, asked)
      const { limit, after } = readPage(request, 2)
      const [at, id] = placeOf(after) ?? []
      const place = at === undefined || id === undefined ? undefined : { at, id }
      const rows = await reports.list(imageId, { after: place, limit: limit + 1 })
      return sendPage(request, reply, {
        rows,
        limit,
        show: showReport,
        cursorOf: (row) => [row.at, row.id],
        publicUrl,
      })
    },
  )

  app.post<ImagePath>(
    '/v2/images/:imageID/reports/dismiss',
    {
      config: { access: { credential: 'bearer', action: 'review-image' } },
      schema: v2Operation({
        ids: ['imageID'],
        summary: 'Dismiss the reports of a photo',
        description:
          'The photo stays unchanged and its open reports are closed; the history records who dismissed them, with the note. Rejecting or unpublishing the photo also closes them. If none is open, nothing happens.',
        body: ReportDismissal,
        answer: DismissedReports,
        refusals: ['invalid-image-id', 'forbidden', 'insufficient-scope', 'claimed', 'read-only'],
      }),
    },
    async (request, reply) => {
      const asked = parseId(request.params.imageID)
      const imageId = await reports.requireReviewable(request.actor, asked)
      const { note } = hasBody(request) ? await readDismissal(request) : {}
      return secretly(reply).send({ closed: await reports.dismiss(request.actor, imageId, note) })
    },
  )
}

export function registerQueueEndpoints(app: FastifyInstance, dependencies: QueueEndpointsDependencies): void {
  registerQueue(app, dependencies)
  registerReports(app, dependencies)
}
