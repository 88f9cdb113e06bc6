// Puts the room together: decisions, undo, claims, reasons, queue, reports and history.
import type { FastifyInstance } from 'fastify'
import type { Actor } from '../auth/guard.ts'
import type { Image } from '../shared/v2/schemas.ts'
import type { Db } from '../database/database.ts'
import type { System } from '../system.ts'
import { registerClaimsEndpoints } from './claims/claims-endpoints.ts'
import { createClaims } from './claims/claims.ts'
import { registerHistoryEndpoint } from './history-endpoint.ts'
import type { QueuedImage } from './queue-page-table.ts'
import { createQueue } from './queue.ts'
import { registerReasonsEndpoints } from './reasons-endpoints.ts'
import { createReports } from './reports/report.ts'
import type { Review } from './review.ts'
import { createUndo } from './undo.ts'
import { registerReviewEndpoints } from './v2-endpoints.ts'
import { registerQueueEndpoints } from './v2-queue-endpoints.ts'

export interface ReviewRoomDependencies {
  readonly db: Db
  readonly system: System
  readonly review: Review
  readonly publicUrl: string
  /** Setting FAR_FROM_TRAIL_METRES. */
  readonly farMetres: number
  /** An image of the queue as v2 shows it. */
  readonly present: (actor: Actor, image: QueuedImage) => Image
  /** The image as v2 shows it, after a decision. */
  readonly showImage: (actor: Actor, imageId: number) => Promise<Image>
  /** Every body that a GET of the image may return to this actor now, to compare with If-Match. */
  readonly representations: (db: Db, actor: Actor, imageId: number) => Promise<readonly string[]>
}

export function registerReview(app: FastifyInstance, dependencies: ReviewRoomDependencies): void {
  const { db, system, review, publicUrl, farMetres, present, showImage, representations } = dependencies
  const now = () => system.now()
  const undo = createUndo(db, now)
  registerReviewEndpoints(app, { review, undo, showImage, representations, publicUrl })
  registerClaimsEndpoints(app, { claims: createClaims(db, now), review, publicUrl })
  registerReasonsEndpoints(app, { db, now })
  const queue = createQueue({ db, now, farMetres, present })
  registerQueueEndpoints(app, { queue, reports: createReports({ db, system }), publicUrl })
  registerHistoryEndpoint(app, { db, publicUrl })
}
