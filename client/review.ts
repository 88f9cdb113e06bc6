// Review: queue, decisions, claims, reasons and reports.
import { pagesOf, pagesOfEach, wholeSet, type Pages, type PagesOfEach } from './paging.ts'
import type { ChangeOptions } from './trails.ts'
import type { CallOptions, Transport } from './transport.ts'
import type {
  BulkDecision,
  BulkResults,
  ClaimRequest,
  ClaimResults,
  DismissedReports,
  Image,
  QueueItem,
  QueueSummary,
  Report,
  ReportDismissal,
  ReviewDecision,
  ReviewReason,
  UndoRequest,
} from './types.ts'

export interface ReleaseOptions extends CallOptions {
  readonly own?: boolean | undefined
}

export interface QueueFilters {
  /** Why it is in the queue. */
  readonly status: 'pending' | 'edited' | 'reported'
  readonly trailID: number
  readonly submitterID: number
  readonly claimed: 'mine' | 'others' | 'none'
}

export function createReviewCalls(transport: Transport) {
  const { request } = transport
  const queue: Pages<QueueFilters, QueueItem> = pagesOf(transport, '/v2/review/queue')
  const reports: PagesOfEach<object, Report> = pagesOfEach(
    transport,
    (imageID) => `/v2/images/${imageID}/reports`,
  )
  // Decisions and undos are not retried after a lost response: undoing an undo makes the decision again.
  return {
    queue,
    summary: (options?: CallOptions) => request<QueueSummary>('GET', '/v2/review/summary', options),
    /** @throws WaymarkProblem `already-decided` if another reviewer was faster. */
    decide: (imageID: number, decision: ReviewDecision, options?: ChangeOptions) =>
      request<Image>('POST', `/v2/images/${imageID}/review`, { ...options, body: decision }),
    undo: (imageID: number, undo: UndoRequest = {}, options?: CallOptions) =>
      request<Image>('POST', `/v2/images/${imageID}/undo`, { ...options, body: undo }),
    bulk: (decision: BulkDecision, options?: CallOptions) =>
      request<BulkResults>('POST', '/v2/review/bulk', { ...options, body: decision }),
    claim: (claim: ClaimRequest, options?: CallOptions) =>
      request<ClaimResults>('POST', '/v2/review/claims', { ...options, body: claim, isRepeatable: true }),
    /** @param options with `own: true`, another reviewer's claim is not released. */
    release: (imageID: number, { own, ...options }: ReleaseOptions = {}) =>
      request<void>('DELETE', `/v2/review/claims/${imageID}`, {
        ...options,
        query: { own: own === true ? 'true' : undefined },
      }),
    reasons: (options?: CallOptions) => wholeSet<ReviewReason>(transport, '/v2/review/reasons', options),
    reports,
    dismissReports: (imageID: number, dismissal: ReportDismissal = {}, options?: CallOptions) =>
      request<DismissedReports>('POST', `/v2/images/${imageID}/reports/dismiss`, {
        ...options,
        body: dismissal,
      }),
  }
}
