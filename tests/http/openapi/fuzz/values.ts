// Random values of an OpenAPI document's schemas, determined by a seed, and values with one fault.
import {
  array as arrayOf,
  constantFrom,
  date as dateIn,
  double as doubleIn,
  gen,
  integer as integerIn,
  jsonValue,
  nat,
  oneof,
  sample,
  stringMatching,
  uuid,
  type Arbitrary,
  type GeneratorValue,
} from 'fast-check'

/** As in JSON Schema: `false` forbids the property. */
export interface Schema {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly format?: string
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly exclusiveMaximum?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly uniqueItems?: boolean
  readonly items?: Schema
  readonly prefixItems?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema | false>>
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly minProperties?: number
  readonly contentMediaType?: string
}

/** A seeded random generator of values. */
export interface Chance {
  readonly of: <T>(arbitrary: Arbitrary<T>) => T
  readonly from: <T>(values: readonly T[]) => T
  readonly below: (count: number) => number
  /** True once in so many times, on average. */
  readonly once: (inSoMany: number) => boolean
}

export function chanceOf(seed: number): Chance {
  const [draw] = sample(gen(), { seed, numRuns: 1 }) as [GeneratorValue]
  const of = <T>(arbitrary: Arbitrary<T>): T => draw(() => arbitrary)
  const below = (count: number): number => of(nat({ max: count - 1 }))
  return {
    of,
    below,
    from: (values) => values[below(values.length)] as never,
    once: (inSoMany) => below(inSoMany) === 0,
  }
}

/** For values without an upper bound, and usually for those with a high one. */
const usualLength = 40
const longLength = 4_000

/** Any character, as one code point. fast-check's own arbitraries take a minute to create. */
const character = (min: number, max: number): Arbitrary<string> =>
  integerIn({ min, max }).map((code) => String.fromCodePoint(code))
const characters = oneof(
  { weight: 6, arbitrary: character(0x20, 0x7e) },
  { weight: 2, arbitrary: constantFrom('é', 'ß', '中', '🏔', '\u{301}', '\u{200b}', '\u{202e}', '\n', '\t') },
  { weight: 1, arbitrary: oneof(character(0, 0xd7ff), character(0xe000, 0x10ffff)) },
)

const countOf = (text: string): number => Array.from(text).length

/** Creating one takes a hundred times as long as drawing from it. */
const known = new Map<string, Arbitrary<string>>()
function matching(pattern: string): Arbitrary<string> {
  const made = known.get(pattern) ?? stringMatching(new RegExp(pattern, 'u'), { size: 'small' })
  known.set(pattern, made)
  return made
}

function textOf({ pattern, minLength = 0, maxLength = Infinity }: Schema, chance: Chance): string {
  const most = Math.min(maxLength, minLength + (chance.once(20) ? longLength : usualLength))
  const length = chance.once(10) ? most : minLength + chance.below(most - minLength + 1)
  const some = (): string[] => chance.of(arrayOf(characters, { minLength: length, maxLength: length }))
  if (pattern === undefined) return some().join('')
  const expression = new RegExp(pattern, 'u')
  // A pattern that only restricts characters: any number of these.
  if (expression.test('xxx')) {
    const fitting = some().map((character) => (expression.test(`x${character}x`) ? character : 'x'))
    const [text, begun, cut] = [fitting, ['x', ...fitting.slice(0, -1)], fitting.slice(0, 20)].map((one) =>
      one.join(''),
    )
    const likely = [text, begun, cut, 'x'.repeat(Math.max(1, minLength))]
    const found = likely.find((one = '') => expression.test(one) && countOf(one) >= minLength)
    if (found !== undefined) return found
  }
  for (let time = 0; time < 20; time += 1) {
    const text = chance.of(matching(pattern))
    const count = countOf(text)
    if (count >= minLength && count <= maxLength) return text
  }
  throw new Error(`no text of ${minLength} to ${maxLength} characters was found for ${pattern}`)
}

const gpx =
  '<gpx version="1.1" creator="fuzz" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg><trkpt lat="45" lon="7"/><trkpt lat="45.1" lon="7.1"/></trkseg></trk></gpx>'

const moment = dateIn({ min: new Date('1900-01-01'), max: new Date('2090-12-31'), noInvalidDate: true })
const word = stringMatching(/^[a-z][a-z0-9]{0,20}$/)

const formats: Readonly<Record<string, (chance: Chance) => string>> = {
  'date-time': (chance) => {
    const local = chance
      .of(moment)
      .toISOString()
      .slice(0, chance.once(2) ? 19 : 23)
    return local + chance.from(['Z', '+02:00', '-11:30', '+00:00'])
  },
  date: (chance) => chance.of(moment).toISOString().slice(0, 10),
  email: (chance) => `${chance.of(word)}@${chance.of(word)}.example`,
  uri: (chance) => `https://${chance.of(word)}.example/${chance.of(word)}`,
  'uri-reference': (chance) =>
    chance.from(['https://', 'http://']) + `${chance.of(word)}.example/${chance.of(word)}`,
  bbox: (chance) => {
    const degrees = (most: number): number => chance.below(2 * most * 100 + 1) / 100 - most
    const [one, other] = [degrees(90), degrees(90)]
    return [degrees(180), Math.min(one, other), degrees(180), Math.max(one, other)].join(',')
  },
  uuid: (chance) => chance.of(uuid()),
}

function numberOf(schema: Schema, isWhole: boolean, chance: Chance): number {
  const { minimum = -Infinity, maximum = Infinity, exclusiveMinimum, exclusiveMaximum } = schema
  if (isWhole) {
    const min = Math.max(Number.MIN_SAFE_INTEGER, Math.ceil(minimum), (exclusiveMinimum ?? -Infinity) + 1)
    const max = Math.min(Number.MAX_SAFE_INTEGER, Math.floor(maximum), (exclusiveMaximum ?? Infinity) - 1)
    return chance.of(
      oneof(constantFrom(min, max), integerIn({ min, max: Math.min(max, Math.max(min, 1_000)) })),
    )
  }
  const min = Math.max(minimum, exclusiveMinimum ?? -Infinity)
  const max = Math.min(maximum, exclusiveMaximum ?? Infinity)
  return chance.of(
    doubleIn({
      ...(min === -Infinity ? {} : { min }),
      ...(max === Infinity ? {} : { max }),
      minExcluded: min === exclusiveMinimum,
      maxExcluded: max === exclusiveMaximum,
      noNaN: true,
      noDefaultInfinity: true,
    }),
  )
}

function objectOf(schema: Schema, chance: Chance): Record<string, unknown> {
  const { properties = {}, patternProperties = {}, required = [], minProperties = 0 } = schema
  const names = Object.keys(properties).filter((name) => properties[name] !== false)
  const isFull = chance.once(4)
  const chosen = names.filter((name) => required.includes(name) || isFull || chance.once(2))
  for (const name of names) if (chosen.length < minProperties && !chosen.includes(name)) chosen.push(name)
  const entries = chosen.map((name): [string, unknown] => [name, valueOf(properties[name] || {}, chance)])
  for (const [pattern, inner] of Object.entries(patternProperties))
    for (let count = chance.below(3); count > 0; count -= 1)
      entries.push([textOf({ pattern }, chance), valueOf(inner, chance)])
  return Object.fromEntries(entries)
}

function listOf(schema: Schema, chance: Chance): unknown[] {
  const { items = {}, prefixItems = [], minItems = 0, maxItems = Infinity, uniqueItems = false } = schema
  const list = prefixItems.map((item) => valueOf(item, chance))
  const most = Math.min(maxItems, minItems + (chance.once(20) ? 60 : 4))
  const length = minItems + chance.below(most - minItems + 1)
  const known = new Set<string>()
  for (let time = 0; list.length < length && time < 3 * length; time += 1) {
    const value = valueOf(items, chance)
    const text = JSON.stringify(value)
    if (uniqueItems && known.has(text)) continue
    known.add(text)
    list.push(value)
  }
  return list
}

/** Keywords beside the alternatives apply to each of them. */
function mergedWith(schema: Schema, alternative: Schema): Schema {
  const { anyOf: _any, oneOf: _one, allOf: _all, ...rest } = schema
  return {
    ...rest,
    ...alternative,
    ...((rest.properties ?? alternative.properties) && {
      properties: { ...rest.properties, ...alternative.properties },
      required: [...(rest.required ?? []), ...(alternative.required ?? [])],
    }),
  }
}

/** A valid value of the schema. */
export function valueOf(schema: Schema, chance: Chance): unknown {
  const alternatives = schema.anyOf ?? schema.oneOf
  if (schema.allOf) return valueOf(schema.allOf.reduce(mergedWith, mergedWith(schema, {})), chance)
  if (alternatives) return valueOf(mergedWith(schema, chance.from(alternatives)), chance)
  if ('const' in schema) return schema.const
  if (schema.enum) return chance.from(schema.enum)
  const types = schema.type === undefined ? [] : [schema.type].flat()
  const type = types.length === 0 ? impliedType(schema) : chance.from(types)
  if (type === 'null') return null
  if (type === 'boolean') return chance.once(2)
  if (type === 'integer' || type === 'number') return numberOf(schema, type === 'integer', chance)
  if (type === 'array') return listOf(schema, chance)
  if (type === 'object') return objectOf(schema, chance)
  if (type !== 'string') return chance.of(jsonValue({ maxDepth: 2 }))
  if (schema.contentMediaType === 'application/gpx+xml') return chance.once(3) ? '' : gpx
  return formats[schema.format ?? '']?.(chance) ?? textOf(schema, chance)
}

const impliedType = ({ properties, items }: Schema): string =>
  properties ? 'object' : items ? 'array' : 'anything'

const wrongValues: readonly unknown[] = [
  null,
  true,
  -1,
  0,
  1e308,
  1.5,
  2 ** 53,
  '',
  ' ',
  '\0',
  'x'.repeat(70_000),
  [],
  {},
  [[]],
  [null],
  { x: 1 },
  '9999-99-99T99:99:99Z',
  'javascript:alert(1)',
  '../../etc/passwd',
  '\u{d800}',
  '💥'.repeat(300),
]

/** The same value with one fault or oddity somewhere. */
export function mutated(value: unknown, chance: Chance): unknown {
  if (Array.isArray(value) && value.length > 0 && !chance.once(3)) {
    const at = chance.below(value.length)
    if (chance.once(4)) return value.toSpliced(at, 1)
    if (chance.once(4)) return value.toSpliced(at, 0, value[at])
    return value.with(at, mutated(value[at], chance))
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    const entries = Object.entries(value)
    if (entries.length > 0 && !chance.once(4)) {
      const at = chance.below(entries.length)
      const [name, inner] = entries[at] as [string, unknown]
      if (chance.once(4)) return Object.fromEntries(entries.toSpliced(at, 1))
      return { ...value, [name]: mutated(inner, chance) }
    }
    return {
      ...value,
      [chance.from(['unknown', 'constructor', 'toString', '', 'id'])]: chance.from(wrongValues),
    }
  }
  return chance.from(wrongValues)
}
