// The parameters of an app.
import type { Logger } from '../http/server.ts'
import type { Renditions } from '../imaging/renditions.ts'
import type { Installation } from '../installation.ts'
import type { SettingLine } from '../settings/config.ts'

export interface AppOptions {
  readonly logger?: Logger
  /** The rendition pool; a benchmark may pass its own. */
  readonly renditions?: Renditions
  /** The settings as admins may read them. */
  readonly settings?: readonly SettingLine[]
  /** The folder of the built web app; a different one in tests. */
  readonly webFolder?: string
  /** Of the package, for the metrics and the web app. */
  readonly version?: string
  /** Whether the metrics include those of the process: only for one server per process. */
  readonly hasProcessMetrics?: boolean
  /** How often an idle event stream sends a heartbeat and checks its credential; shorter in tests. */
  readonly heartbeatMs?: number
  /** The clock of the waits between guesses, in milliseconds, which only goes forward; one that stands still in tests. */
  readonly guessClock?: () => number
  /** How long the server may take to render a page before it sends an empty one; longer in tests of what pages show. */
  readonly renderMs?: number
}

export interface Given {
  readonly installation: Installation
  readonly options: AppOptions
}
