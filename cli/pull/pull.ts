// Runs one pull: connects requests and stores, goes through trails and accounts, and ends with the report.
import { createPulledRoutes } from '../../src/account-routes/pulled-routes.ts'
import { createPulledImages } from '../../src/images/pulled/store-pulled.ts'
import { createRenditionStore } from '../../src/images/view/rendition-store.ts'
import { imageLimitsFrom } from '../../src/imaging/image-limits.ts'
import { createRenditions } from '../../src/imaging/renditions.ts'
import type { Installation } from '../../src/installation.ts'
import { createMeasuredTrails } from '../../src/trails/measured-trails.ts'
import { createTrails } from '../../src/trails/trails.ts'
import { hash } from 'node:crypto'
import type { Db } from '../../src/database/database.ts'
import { listSources } from '../../src/database/pulled-table.ts'
import { wrongUsage } from '../failures.ts'
import type { Answer } from '../output.ts'
import { plainFetch } from '../remote/plain-fetch.ts'
import { createAsker } from './asking.ts'
import { newCounts, type PullContext } from './pull-context.ts'
import { createOriginals, type OriginalsPlace } from './originals.ts'
import { createImagePull } from './pull-images.ts'
import { reportOf } from './pull-report.ts'
import { createRoutesPull, type WantedRoutes } from './pull-routes.ts'
import { openPullState } from './pull-state.ts'
import { createSubmitters } from './pull-submitter.ts'
import { createTrailPull, type WantedTrail } from './pull-trail.ts'

export interface PullRequest {
  readonly base: string
  /** The URL that this server was pulled from before, if it was different. */
  readonly sameAs: string | undefined
  readonly originals: OriginalsPlace | undefined
  /** IDs of accounts that belong to the same person there. */
  readonly samePeople: readonly number[] | 'all'
  readonly routesBase: string
  readonly imageHandler: string
  readonly apiKey: string
  readonly prefersXml: boolean
  readonly trails: readonly WantedTrail[]
  readonly accounts: readonly WantedRoutes[]
  readonly isDryRun: boolean
  /** Requests per second. */
  readonly rate: number
  readonly report: string | undefined
  readonly signal: AbortSignal
  /** A progress line for terminals. */
  readonly show: (line: string) => void
}

/** @throws a usage failure. */
async function requireSource(db: Db, sameAs: string): Promise<void> {
  const known = await listSources(db)
  if (known.includes(sameAs)) return
  const list = known.length === 0 ? 'Nothing has been pulled yet.' : `Pulled so far: ${known.join(', ')}.`
  throw wrongUsage(`--same-as must be a URL that was pulled from. ${list}`)
}

/** The target, which determines which recorded losses still apply. */
const wantedText = ({ trails, accounts, samePeople, originals }: PullRequest): string =>
  hash(
    'sha256',
    JSON.stringify({
      trails: trails.map(({ id }) => id),
      accounts: accounts.map(({ accountId }) => accountId),
      samePeople,
      originals: originals?.signIn ?? null,
    }),
  )

/** The codes of failures that the other server causes. Its last request was then answered, or not sent at all. */
const byOtherServer: ReadonlySet<unknown> = new Set(['unreachable', 'signed-out', 'refused'])

/** @throws one sentence if it cannot continue; the same command resumes it. */
export async function pull(installation: Installation, request: PullRequest): Promise<Answer> {
  const { config, database, blobs, system } = installation
  const { sameAs, samePeople, isDryRun, signal, show } = request
  const { db } = database
  const now = (): number => system.now()
  if (sameAs !== undefined) await requireSource(db, sameAs)
  const source = sameAs ?? request.base
  const wanted = wantedText(request)
  const state = await openPullState({ dataDir: config.dataDir, source, isDryRun, wanted, now })
  const { jobQueue: queue, jobSeconds } = config
  // One photo is processed while the next one is loading.
  const renditions = createRenditions({ limits: imageLimitsFrom(config), jobs: 1, queue, jobSeconds })
  const store = createRenditionStore({ db, blobs, renditions })
  const { find: findRuler } = createMeasuredTrails(db)
  const asker = createAsker({
    request: plainFetch,
    rate: request.rate,
    signal,
    now,
    onPause: (ms, why) => show(`waiting ${Math.ceil(ms / 1_000)} s${why === '' ? '' : `: ${why}`}`),
  })
  const counts = newCounts()
  const { maxImageBytes, siteTimeZone, gpxCheck, maxGpxBytes } = config
  const context: PullContext = {
    ...request,
    source,
    isFrom: (known) => known === source || known === request.base,
    isSamePerson: (id) => samePeople === 'all' || samePeople.includes(id),
    maxImageBytes,
    state,
    asker,
    db,
    trails: createTrails(db, now),
    images: createPulledImages({
      db,
      blobs,
      renditions,
      store,
      now,
      maxBytes: maxImageBytes,
      siteTimeZone,
      findRuler,
      source,
    }),
    routes: createPulledRoutes({ db, now, source, gpxCheck, gpxLimits: { maxBytes: maxGpxBytes } }),
    now,
    counts,
  }
  const submitters = createSubmitters(context)
  const place = request.originals
  const originals = place && createOriginals({ place, state, asker, maxBytes: maxImageBytes })
  const imagePull = createImagePull(context, submitters, originals)
  const pullTrail = createTrailPull(context, imagePull)
  const pullRoutes = createRoutesPull(context, submitters)
  try {
    for (const trail of request.trails) await pullTrail(trail)
    for (const account of request.accounts) await pullRoutes(account)
    const { isResumed } = state
    const { report } = request
    const requests = asker.requests()
    const hasOriginals = originals !== undefined
    const answer = await reportOf({
      source,
      hasOriginals,
      isDryRun,
      isResumed,
      requests,
      counts,
      state,
      report,
    })
    await state.finish()
    return answer
  } catch (error) {
    await imagePull.settle()
    const isExpected =
      error instanceof Error && 'failureCode' in error && byOtherServer.has(error.failureCode)
    await state.pause(isExpected).catch(() => undefined) // if the disk is full, the first error is the one to report
    throw error
  } finally {
    await imagePull.settle()
    await renditions.close()
    state.close()
  }
}
