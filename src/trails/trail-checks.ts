// Validates a trail: its ID, name, slug, description and line; every error is a sentence.
import { countCharacters, replaceForbidden } from '../shared/text/characters.ts'
import { maxDescriptionLength } from '../shared/v2/trail-schemas.ts'
import { readTrailLine } from './trail-line.ts'
import type { TrailLine } from './trail-table.ts'

const maxNameLength = 256
const maxSlugLength = 200
/** Far longer than either limit: longer input is not parsed at all, which would take 50 ms for 60 MB. */
export const maxRead = 1_000_000

/** A trail as received from a person or a file. */
export interface TrailInput {
  readonly id: number | undefined
  readonly name: string
  /** Undefined or empty: derived from the name. */
  readonly slug: string | undefined
  /** CommonMark; undefined leaves it unchanged. */
  readonly description?: string | undefined
  /** The parts of its line as received GeoJSON; undefined leaves the line unchanged, null removes it. */
  readonly geometries?: readonly unknown[] | null | undefined
  /** The prefix of an error message, such as `trails.csv: line 3`. */
  readonly place?: string
}

/** A trail that is valid on its own. */
export interface CheckedTrail {
  readonly id: number
  readonly name: string
  /** Undefined: derived from the name. */
  readonly slug: string | undefined
  /** Undefined: unchanged. */
  readonly description: string | undefined
  readonly line: TrailLine | null | undefined
  readonly place: string
}

export interface TrailProblem {
  /** Empty if there is only one location. */
  readonly place: string
  /** One sentence. */
  readonly detail: string
}

/** By the number of the line or feature at the end of every location in a file. */
export function inOrderOfFile(problems: readonly TrailProblem[]): TrailProblem[] {
  const numberOf = ({ place }: TrailProblem): number => Number(place.split(' ').at(-1)) || 0
  const numbered = problems.map((problem) => ({ problem, number: numberOf(problem) }))
  return numbered.sort((one, other) => one.number - other.number).map(({ problem }) => problem)
}

function isTooLong(description: string): boolean {
  return description.length > maxRead || countCharacters(description) > maxDescriptionLength
}

function* faultsOf({ id, name, slug, description = '' }: TrailInput): Generator<string, void> {
  if (id === undefined || !Number.isSafeInteger(id) || id < 1)
    yield 'trailID must be a whole number from 1 to 9007199254740991.'
  if (name.length > maxRead || name.trim() === '' || countCharacters(name.trim()) > maxNameLength)
    yield `name must have 1 to ${maxNameLength} characters.`
  // A name appears in every list, including XML.
  else if (replaceForbidden(name) !== name) yield 'name must not contain control characters.'
  if (isTooLong(description))
    yield `description may have at most ${maxDescriptionLength.toLocaleString('en')} characters.`
  else if (replaceForbidden(description) !== description)
    yield 'description must not contain control characters, besides tabs and line ends.'
  if (slug === undefined || slug === '') return
  if (
    slug.length > maxRead ||
    countCharacters(slug) > maxSlugLength ||
    !/^[\p{Letter}\p{Number}][\p{Letter}\p{Number}._-]*$/u.test(slug)
  )
    yield 'slug must consist of letters, digits, hyphens, dots and underscores, and start with a letter or digit.'
}

/** Validates one trail on its own, and measures its line. */
export async function checkTrail(
  input: TrailInput,
  place = input.place ?? '',
): Promise<{ readonly trail: CheckedTrail | undefined; readonly problems: readonly TrailProblem[] }> {
  const { id = 0, name, slug, description, geometries } = input
  const faults = [...faultsOf(input)]
  const reading = geometries ? await readTrailLine(geometries) : undefined
  if (reading?.ok === false) faults.push(reading.detail)
  const problems = faults.map((detail) => ({ place, detail }))
  if (problems.length > 0) return { trail: undefined, problems }
  const line = geometries === null ? null : reading?.ok === true ? reading.line : undefined
  const trail = { id, name: name.trim(), slug: slug || undefined, description, line, place }
  return { trail, problems }
}
