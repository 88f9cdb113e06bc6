// What a reviewer should look at twice, found of each photo when it is shown: nothing of it is stored, so nothing of it is stale.
import { createMarkedCache } from '../../shared/bounded-cache.ts'
import { bandsOf, bitsApart, nearBits, type Bands } from '../../shared/dhash.ts'
import { runYielding, yieldTurn } from '../../shared/yielding.ts'
import { readingJsonText } from '../../shared/json/json.ts'
import type { ReviewFlag } from '../../shared/v2/queue-schemas.ts'
import type { Db } from '../../database/database.ts'
import { metresToLine, spatialLine, type SpatialLine } from './flags-line.ts'
import {
  findTrailGeometry,
  listHashesNear,
  listPresent,
  listTrailMarks,
  listTwins,
  type Twin,
} from './flags-table.ts'
import type { QueuedImage } from '../queue-table.ts'

/** Asked for together; more would hold up everybody else, and make queries of too many values. */
const imagesOfTurn = 10
const maxIds = 10
/** Near ones looked at to find those that are still there. */
const maxNear = 100
/** Of all lines that are kept: some 15 MB, or 5,000 lines. */
const maxVertices = 500_000
/** A short line counts as one of so many. */
const minVertices = 100

interface KeptLine {
  readonly line: SpatialLine | undefined
}

/** Lines of trails, read once and kept while they stay as they are. */
function createLines(db: Db) {
  const kept = createMarkedCache<KeptLine, number, string>({
    max: maxVertices,
    sizeOf: ({ line }) => Math.max(minVertices, (line?.vertices.length ?? 0) / 3),
  })

  async function read(trailId: number): Promise<SpatialLine | undefined> {
    const text = await findTrailGeometry(db, trailId)
    if (text === undefined) return undefined
    const reading = await runYielding(readingJsonText(text))
    return reading.ok ? runYielding(spatialLine(reading.value)) : undefined
  }

  return async function linesOf(trailIds: readonly number[]): Promise<Map<number, SpatialLine>> {
    const lines = new Map<number, SpatialLine>()
    for (const { id, mark } of await listTrailMarks(db, trailIds)) {
      const known = kept.get(id, mark) ?? { line: await read(id) }
      kept.set(id, mark, known)
      if (known.line) lines.set(id, known.line)
    }
    return lines
  }
}

interface Hashed {
  readonly id: number
  readonly bands: Bands
}

const hashedOf = ({ id, dhash }: { readonly id: number; readonly dhash: string | null }): Hashed[] =>
  dhash === null || dhash === '' ? [] : [{ id, bands: bandsOf(dhash) }]

interface Near {
  readonly id: number
  readonly bits: number
}

/** Nearest first. */
function nearestOf({ id, bands }: Hashed, candidates: readonly Hashed[]): Near[] {
  return candidates
    .flatMap((other): Near[] => {
      const bits = other.id === id ? nearBits + 1 : bitsApart(bands, other.bands)
      return bits <= nearBits ? [{ id: other.id, bits }] : []
    })
    .toSorted((one, other) => one.bits - other.bits || one.id - other.id)
    .slice(0, maxNear)
}

export interface FlagsDependencies {
  readonly db: Db
  /** Setting FAR_FROM_TRAIL_METRES; 0 for never. */
  readonly farMetres: number
}

export interface FlagsRequest {
  /** The trails that the reviewer is limited to. */
  readonly trails: ReadonlySet<number> | undefined
  /** Whether any photo of this submitter was ever accepted. */
  readonly hasAccepted: (submitterId: number) => boolean
}

export function createFlags({ db, farMetres }: FlagsDependencies) {
  const linesOf = createLines(db)

  async function findFar(images: readonly QueuedImage[]): Promise<Map<number, number>> {
    const far = new Map<number, number>()
    if (farMetres === 0) return far
    const lines = await linesOf([...new Set(images.map(({ trailId }) => trailId))])
    function* measuring(): Generator<undefined, void> {
      for (const { id, trailId, latitude, longitude } of images) {
        const line = lines.get(trailId)
        if (line === undefined || latitude === null || longitude === null) continue
        const metres = metresToLine(line, { latitude, longitude }, farMetres)
        if (metres > farMetres) far.set(id, Math.round(metres))
        yield
      }
    }
    await runYielding(measuring())
    return far
  }

  async function findNear(images: readonly QueuedImage[]): Promise<Map<number, Near[]>> {
    const near = new Map<number, Near[]>()
    for (const [trailId, onTrail] of Map.groupBy(images, (image) => image.trailId)) {
      const asked = onTrail.flatMap(hashedOf)
      if (asked.length === 0) continue
      const probes = asked.map(({ bands }) => bands)
      const candidates = (await listHashesNear(db, trailId, probes)).flatMap(hashedOf)
      for (const image of asked) {
        const nearest = nearestOf(image, candidates)
        if (nearest.length > 0) near.set(image.id, nearest)
        if (candidates.length > 1_000) await yieldTurn()
      }
    }
    const ids = [...new Set([...near.values()].flatMap((all) => all.map(({ id }) => id)))]
    const present = ids.length === 0 ? new Set<number>() : await listPresent(db, ids)
    return new Map([...near].map(([id, all]) => [id, all.filter((one) => present.has(one.id))]))
  }

  async function flagsOf(images: readonly QueuedImage[], request: FlagsRequest) {
    const { trails, hasAccepted } = request
    const far = await findFar(images)
    const near = await findNear(images)
    const contents = [...new Set(images.map(({ sha256 }) => sha256))]
    const twins = Map.groupBy(
      await listTwins(db, contents, { trails, ofEach: maxIds + 1 }),
      (twin) => twin.sha256,
    )

    function flags(image: QueuedImage): ReviewFlag[] {
      const found: ReviewFlag[] = []
      const metres = far.get(image.id)
      if (metres !== undefined) found.push({ code: 'far-from-trail', metres })
      if (image.latitude === null) found.push({ code: 'no-position' })
      const [nearest, ...others] = near.get(image.id)?.slice(0, maxIds) ?? []
      if (nearest) {
        const imageIDs = [nearest, ...others].map(({ id }) => id)
        found.push({ code: 'near-duplicate', imageIDs, distance: nearest.bits })
      }
      const same = (twins.get(image.sha256) ?? []).filter(({ id }) => id !== image.id)
      const isTold = ({ trailId }: Twin): boolean => trails === undefined || trails.has(trailId)
      if (same.length > 0)
        found.push({
          code: 'same-bytes',
          imageIDs: same
            .filter(isTold)
            .slice(0, maxIds)
            .map(({ id }) => id),
        })
      if (!hasAccepted(image.submitterId)) found.push({ code: 'first-photo' })
      return found
    }
    return images.map((image) => [image.id, flags(image)] as const)
  }

  /** The flags of each of the images, in turns. */
  return async function findFlags(
    images: readonly QueuedImage[],
    request: FlagsRequest,
  ): Promise<Map<number, ReviewFlag[]>> {
    const found = new Map<number, ReviewFlag[]>()
    for (let at = 0; at < images.length; at += imagesOfTurn) {
      if (at > 0) await yieldTurn()
      for (const [id, flags] of await flagsOf(images.slice(at, at + imagesOfTurn), request))
        found.set(id, flags)
    }
    return found
  }
}

export type FindFlags = ReturnType<typeof createFlags>
