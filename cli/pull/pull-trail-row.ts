// The trail itself, with the name and slug from its images or from a file.
import { byCommand } from '../../src/accounts/audit/audit.ts'
import { findPulled, notePulled, pulledDigest } from '../../src/database/pulled-table.ts'
import { findTrail } from '../../src/trails/trail-table.ts'
import type { TrailInput } from '../../src/trails/trails.ts'
import { noteLoss, syncStateOf, type PullContext } from './pull-context.ts'

export interface NamedTrail {
  readonly id: number
  readonly name: string
  readonly slug: string
}

const digestOf = ({ name, slug }: Pick<NamedTrail, 'name' | 'slug'>): string => pulledDigest([name, slug])

interface Planned {
  readonly input: TrailInput
  /** The slug that it gets here. */
  readonly slug: string
}

/** Uses the given slug if it is free, otherwise one derived from the name; undefined if neither works. */
async function planned(
  { trails }: Pick<PullContext, 'trails'>,
  { id, name, slug }: NamedTrail,
  here: Pick<NamedTrail, 'slug'> | undefined,
): Promise<Planned | undefined> {
  for (const wanted of new Set([slug || undefined, undefined])) {
    const input: TrailInput = { id, name, slug: wanted }
    const { problems, writes } = await trails.planAll([input])
    if (problems.length === 0) return { input, slug: writes[0]?.slug ?? here?.slug ?? slug }
  }
  return undefined
}

/** @returns whether its images can be stored. */
export async function keepTrail(context: PullContext, trail: NamedTrail): Promise<boolean> {
  const { db, trails, counts, isDryRun, source } = context
  const of = { what: 'trail', id: String(trail.id) } as const
  const here = await findTrail(db, trail.id)
  const last = (await findPulled(db, 'trail', [trail.id])).get(trail.id)
  // The members of two sites may walk the same trail.
  const pulled = last && context.isFrom(last.source) ? last.digest : undefined
  // Compared as it would be stored: its slug there may be one that cannot be used here.
  const plan = await planned(context, trail, here)
  const digest = digestOf({ name: trail.name, slug: plan?.slug ?? trail.slug })
  const hereDigest = here && digestOf(here)
  // The operator may have imported the trails before: an identical one is the same trail.
  const isSame = hereDigest === digest
  const syncState = syncStateOf(hereDigest, digest, pulled ?? (isSame ? digest : undefined))

  const note = async (): Promise<void> => {
    if (isDryRun || pulled === digest) return
    await db.transaction().execute((tx) => notePulled(tx, 'trail', { id: trail.id, source, digest }))
  }
  if (syncState === 'deleted-here') {
    await noteLoss(context, 'deleted-here', of)
    return false
  }
  if (syncState === 'id-in-use' || syncState === 'edited-here' || (syncState === 'unchanged' && !isSame)) {
    counts.trails.unchanged += 1
    await noteLoss(context, 'trail-differs-here', of)
    return true
  }
  if (syncState === 'unchanged' || syncState === 'agreed') {
    counts.trails.unchanged += 1
    await note()
    return true
  }
  if (plan === undefined) {
    await noteLoss(context, 'trail-refused', of)
    return false
  }
  if (plan.input.slug === undefined) await noteLoss(context, 'slug-changed', of)
  if (!isDryRun) await trails.importAll([plan.input], byCommand)
  counts.trails[syncState] += 1
  await note()
  return true
}
