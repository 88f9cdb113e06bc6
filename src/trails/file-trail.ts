// Trails as a file gives them, before anything is judged but the file's own form.
import type { TrailInput, TrailProblem } from './trail-checks.ts'

/** A trail with the words that a fault names it by, such as `line 3`. */
export interface FileTrail extends TrailInput {
  readonly place: string
}

/** What could be read of a file, and what of it could not. */
export interface FileReading {
  readonly trails: readonly FileTrail[]
  readonly problems: readonly TrailProblem[]
}

/** What a file that cannot be read at all throws: a SyntaxError, whose message is a sentence without its full stop. */
export const unreadable = (message: string, cause?: unknown): SyntaxError =>
  new SyntaxError(message, { cause })

const sameText = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/**
 * A trail that stands in the file twice alike counts once, and where its lines differ, they are parts of one: a trail of
 * OpenTrails has several segments. Two that differ in name or slug would leave to chance which one wins.
 */
export function withoutRepeats({ trails, problems }: FileReading): FileReading {
  const byId = new Map<number, number>()
  const kept: FileTrail[] = []
  const conflicts: TrailProblem[] = []
  for (const trail of trails) {
    const at = trail.id === undefined ? undefined : byId.get(trail.id)
    const earlier = at === undefined ? undefined : kept[at]
    if (at === undefined || earlier === undefined) {
      if (trail.id !== undefined) byId.set(trail.id, kept.length)
      kept.push(trail) // one without an id is refused when it is judged
      continue
    }
    if (earlier.name !== trail.name || earlier.slug !== trail.slug) {
      conflicts.push({ place: trail.place, detail: `trail ${trail.id} differs from ${earlier.place}.` })
      continue
    }
    const parts = earlier.geometries ?? []
    const more = (trail.geometries ?? []).filter((part) => !parts.some((known) => sameText(known, part)))
    if (more.length > 0) kept[at] = { ...earlier, geometries: [...parts, ...more] }
  }
  return { trails: kept, problems: [...problems, ...conflicts] }
}
