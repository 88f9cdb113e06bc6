// Trails as a file gives them, before anything is judged but the file's own form.
import { createHash } from 'node:crypto'
import { jsonTexts } from '../shared/json/json-texts.ts'
import { refuse, type Refusal } from '../errors.ts'
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

export interface FileLimits {
  /** Of trails and of what should be one; without it, a file may hold any number. */
  readonly maxTrails?: number | undefined
}

/** What a file that cannot be read at all throws: a SyntaxError, whose message is a sentence without its full stop. */
export const unreadable = (message: string, cause?: unknown): SyntaxError =>
  new SyntaxError(message, { cause })

/** Of a file of more than `maxTrails`: the rest of it is not read. */
export const tooManyTrails = (maxTrails: number): Refusal =>
  refuse('body-too-large', {
    detail: `At most ${maxTrails.toLocaleString('en')} trails can be imported at once; for more, use "waymark trails import".`,
  })

/** Tells alike geometries, of which one may have a million numbers. */
function* hashing(geometry: unknown): Generator<undefined, string> {
  const hash = createHash('sha256')
  for (const text of jsonTexts(geometry)) {
    hash.update(text)
    yield
  }
  return hash.digest('base64')
}

/**
 * Takes trails as they are read. A trail that stands in the file twice alike counts once, and where its lines differ, they
 * are parts of one: a trail of OpenTrails has several segments. Two that differ in name or slug would leave to chance which
 * one wins.
 */
export function gatherTrails({ maxTrails = Infinity }: FileLimits) {
  const byId = new Map<number, number>()
  const trails: FileTrail[] = []
  const problems: TrailProblem[] = []
  const conflicts: TrailProblem[] = []
  /** The parts of each trail that has several, by what tells them. */
  const parts = new Map<number, Map<string, unknown>>()

  function count(): void {
    if (trails.length + problems.length + conflicts.length > maxTrails) throw tooManyTrails(maxTrails)
  }

  function* addParts(at: number, earlier: FileTrail, { geometries }: FileTrail): Generator<undefined, void> {
    const known = parts.get(at)
    const sent = known ? geometries : [...(earlier.geometries ?? []), ...(geometries ?? [])]
    const all = known ?? new Map<string, unknown>()
    parts.set(at, all)
    for (const part of sent ?? []) {
      const hash = yield* hashing(part)
      if (!all.has(hash)) all.set(hash, part)
    }
  }

  return {
    /** In steps. @throws refusal `body-too-large`. */
    *adding(trail: FileTrail): Generator<undefined, void> {
      const at = trail.id === undefined ? undefined : byId.get(trail.id)
      const earlier = at === undefined ? undefined : trails[at]
      if (at === undefined || earlier === undefined) {
        if (trail.id !== undefined) byId.set(trail.id, trails.length)
        trails.push(trail) // one without an id is refused when it is judged
      } else if (earlier.name !== trail.name || earlier.slug !== trail.slug) {
        conflicts.push({ place: trail.place, detail: `trail ${trail.id} differs from ${earlier.place}.` })
      } else {
        yield* addParts(at, earlier, trail)
        const { description = trail.description } = earlier
        if (description !== undefined) trails[at] = { ...earlier, description }
      }
      count()
    },

    /** @throws refusal `body-too-large`. */
    addProblem: (problem: TrailProblem): void => {
      problems.push(problem)
      count()
    },

    reading: (): FileReading => {
      for (const [at, all] of parts) {
        const trail = trails[at]
        if (trail && all.size > 0) trails[at] = { ...trail, geometries: [...all.values()] }
      }
      return { trails, problems: [...problems, ...conflicts] }
    },
  }
}
