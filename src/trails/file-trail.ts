// Trails as read from a file, before validation beyond the file's own format.
import { createHash } from 'node:crypto'
import { jsonTexts } from '../shared/json/json-texts.ts'
import { refuse, type Refusal } from '../errors.ts'
import type { TrailInput, TrailProblem } from './trail-checks.ts'

/** A trail with its location for error messages, such as `line 3`. */
export interface FileTrail extends TrailInput {
  readonly place: string
}

/** The parts of a file that could be read, and the errors of the others. */
export interface FileReading {
  readonly trails: readonly FileTrail[]
  readonly problems: readonly TrailProblem[]
}

export interface FileLimits {
  /** Maximum number of trails, including invalid ones; without it, a file may have any number. */
  readonly maxTrails?: number | undefined
}

/** The error for a completely unreadable file: a SyntaxError, whose message is a sentence without its full stop. */
export const unreadable = (message: string, cause?: unknown): SyntaxError =>
  new SyntaxError(message, { cause })

/** For a file with more than `maxTrails`: the rest of it is not read. */
export const tooManyTrails = (maxTrails: number): Refusal =>
  refuse('body-too-large', {
    detail: `At most ${maxTrails.toLocaleString('en')} trails can be imported at once; for more, use "waymark trails import".`,
  })

/** Hash to recognise equal geometries, of which one may have a million numbers. */
function* hashing(geometry: unknown): Generator<undefined, string> {
  const hash = createHash('sha256')
  for (const text of jsonTexts(geometry)) {
    hash.update(text)
    yield
  }
  return hash.digest('base64')
}

/**
 * Collects trails as they are read. An exact duplicate counts once. If only the lines differ, they are parts of one
 * trail, since an OpenTrails trail has several segments. If name or slug differ, it would be arbitrary which one
 * wins.
 */
export function gatherTrails({ maxTrails = Infinity }: FileLimits) {
  const byId = new Map<number, number>()
  const trails: FileTrail[] = []
  const problems: TrailProblem[] = []
  const conflicts: TrailProblem[] = []
  /** The parts of each trail that has several, by identity. */
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
        trails.push(trail) // a missing ID is refused by the validation
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
