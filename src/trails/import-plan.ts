// What an import would change: each trail of a file compared with the existing ones.
import { yieldTurn } from '../shared/yielding.ts'
import { slugOf } from '../shared/trail-slug.ts'
import type { Db } from '../database/database.ts'
import type { CheckedTrail, TrailProblem } from './trail-checks.ts'
import { listDescriptions, listLines, listNamed, type Trail, type WrittenTrail } from './trail-table.ts'

export interface ChangedFields {
  name?: { readonly from: string; readonly to: string }
  slug?: { readonly from: string; readonly to: string }
  description?: 'changed'
  geometry?: 'changed'
}

export interface AddedTrail extends Trail {
  /** Its location in the file, such as "line 3". */
  readonly place: string
}

export interface ChangedTrail {
  readonly id: number
  readonly place: string
  readonly fields: ChangedFields
}

export interface ImportPlan {
  readonly added: readonly AddedTrail[]
  readonly changed: readonly ChangedTrail[]
  readonly unchanged: number
  readonly problems: readonly TrailProblem[]
  /** The rows to write, in this order: a slug may pass from one trail to the next. */
  readonly writes: readonly WrittenTrail[]
}

/** A few milliseconds of work before yielding. */
const maxAtOnce = 200
/** Lines may be long. */
const maxLinesAtOnce = 20

function* chunksOf<T>(list: readonly T[], size: number): Generator<T[], void> {
  for (let from = 0; from < list.length; from += size) yield list.slice(from, from + size)
}

/** The slug derived from the name, and the fallback if that is taken: every second county has a Loop Trail. */
function ownSlugs({ id, name }: CheckedTrail): readonly [string, string] {
  const own = slugOf(name) || `trail-${id}`
  return [own, `${own}-${id}`]
}

/** The existing trails that may conflict with these. */
async function loadKnown(db: Db, trails: readonly CheckedTrail[]): Promise<Trail[]> {
  const known: Trail[] = []
  for (const chunk of chunksOf(trails, maxAtOnce)) {
    await yieldTurn()
    const slugs = chunk.flatMap((trail) => trail.slug ?? ownSlugs(trail))
    known.push(
      ...(await listNamed(
        db,
        chunk.map(({ id }) => id),
        slugs,
      )),
    )
  }
  return known
}

/** The trails whose line differs from the stored one. */
async function withOtherLines(db: Db, trails: readonly CheckedTrail[]): Promise<Set<CheckedTrail>> {
  const differing = new Set<CheckedTrail>()
  const drawn = trails.filter(({ line }) => line !== undefined)
  for (const chunk of chunksOf(drawn, maxLinesAtOnce)) {
    await yieldTurn()
    const ids = chunk.map(({ id }) => id)
    const stored = await listLines(db, ids)
    for (const trail of chunk)
      if ((trail.line?.text ?? undefined) !== stored.get(trail.id)) differing.add(trail)
  }
  return differing
}

/** The trails whose description differs. */
async function withOtherDescriptions(db: Db, trails: readonly CheckedTrail[]): Promise<Set<CheckedTrail>> {
  const differing = new Set<CheckedTrail>()
  const described = trails.filter(({ description }) => description !== undefined)
  for (const chunk of chunksOf(described, maxLinesAtOnce)) {
    await yieldTurn()
    const ids = chunk.map(({ id }) => id)
    const stored = await listDescriptions(db, ids)
    for (const trail of chunk) if (trail.description !== (stored.get(trail.id) ?? '')) differing.add(trail)
  }
  return differing
}

/** Call it in the transaction that writes the plan, or separately for a dry run. */
export async function planImport(db: Db, trails: readonly CheckedTrail[]): Promise<ImportPlan> {
  const known = await loadKnown(db, trails)
  const byId = new Map(known.map((trail) => [trail.id, trail]))
  const holders = new Map(known.map(({ id, slug }) => [slug, id]))
  const otherLines = await withOtherLines(db, trails)
  const otherDescriptions = await withOtherDescriptions(db, trails)
  const added: AddedTrail[] = []
  const changed: ChangedTrail[] = []
  const problems: TrailProblem[] = []
  const writes: WrittenTrail[] = []
  let unchanged = 0

  const isFree = (slug: string, id: number): boolean => (holders.get(slug) ?? id) === id
  /** A derived slug yields to another trail's slug; a requested one does not. */
  function slugFor(trail: CheckedTrail): string | undefined {
    const candidates = trail.slug === undefined ? ownSlugs(trail) : [trail.slug]
    const free = candidates.find((slug) => isFree(slug, trail.id))
    const taken = candidates.at(-1) ?? ''
    if (free === undefined)
      problems.push({
        place: trail.place,
        detail: `slug ${taken} belongs to trail ${holders.get(taken)}.`,
      })
    return free
  }

  for (const [index, trail] of trails.entries()) {
    if (index % maxAtOnce === maxAtOnce - 1) await yieldTurn()
    const slug = slugFor(trail)
    if (slug === undefined) continue
    const { id, name, line, description, place } = trail
    const before = byId.get(id)
    const after = { id, name, slug }
    const fields: ChangedFields = {
      ...(before && before.name !== name && { name: { from: before.name, to: name } }),
      ...(before && before.slug !== slug && { slug: { from: before.slug, to: slug } }),
      ...(otherDescriptions.has(trail) && { description: 'changed' as const }),
      ...(otherLines.has(trail) && { geometry: 'changed' as const }),
    }
    if (before && Object.keys(fields).length === 0) {
      unchanged += 1
      continue
    }
    if (before) {
      holders.delete(before.slug)
      changed.push({ id, place, fields })
    } else added.push({ ...after, place })
    holders.set(slug, id)
    byId.set(id, after)
    writes.push({
      ...after,
      ...(line === undefined ? {} : { line }),
      ...(description === undefined ? {} : { description }),
    })
  }
  return { added, changed, unchanged, problems, writes }
}
