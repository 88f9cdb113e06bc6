// Puts the v2 side of the room together: own images, those of a trail, the trash, licence and terms.
import type { FastifyInstance } from 'fastify'
import type { TakenAtSetting } from '../auth/guard.ts'
import type { Changes } from '../commits.ts'
import type { Db } from '../database/database.ts'
import type { Blobs } from '../storage/port.ts'
import { createImageTexts } from './image-texts.ts'
import type { Images } from './images.ts'
import type { Present } from './present.ts'
import { registerTermsEndpoints } from '../site-settings/terms-endpoints.ts'
import { createTerms } from '../site-settings/terms.ts'
import { registerTrashEndpoints } from './trash/trash-endpoints.ts'
import type { Trash } from './trash/trash.ts'
import type { Upload } from './upload/upload.ts'
import { registerV2ImageEndpoints } from './v2-endpoints.ts'
import { registerOriginalEndpoint, type OriginalRead } from './view/original-endpoint.ts'
import { registerAlongEndpoint } from './v2-along-endpoint.ts'
import { registerMonthEndpoint } from './v2-month-endpoint.ts'
import { registerV2TrailImageEndpoints } from './v2-trail-endpoints.ts'

export interface V2ImagesDependencies {
  readonly db: Db
  readonly blobs: Pick<Blobs, 'open'>
  readonly changes: Changes
  readonly now: () => number
  readonly images: Images
  readonly upload: Upload
  readonly trash: Trash
  readonly auditOriginal: (entry: OriginalRead) => Promise<void>
  readonly present: Present
  /** @throws refusal `invalid-trail-id`. */
  readonly requireTrail: (trailId: number | undefined) => Promise<{ readonly id: number }>
  readonly publicUrl: string
  /** Setting TAKEN_AT. */
  readonly takenAt: TakenAtSetting
}

export function registerV2Images(app: FastifyInstance, dependencies: V2ImagesDependencies): void {
  const { db, changes, present, now } = dependencies
  const texts = createImageTexts({ db, changes, present })
  registerV2ImageEndpoints(app, { ...dependencies, texts })
  registerV2TrailImageEndpoints(app, { ...dependencies, texts })
  registerMonthEndpoint(app, dependencies)
  registerOriginalEndpoint(app, dependencies)
  registerAlongEndpoint(app, dependencies)
  registerTrashEndpoints(app, dependencies)
  registerTermsEndpoints(app, { terms: createTerms({ db, now }) })
}
