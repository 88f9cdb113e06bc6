// Reads and checks a v2 JSON body against its schema, with one sentence for the first thing wrong.
import type { FastifyRequest } from 'fastify'
import type { Static, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { runYielding } from '../../shared/yielding.ts'
import { readingJsonText } from '../../shared/json/json.ts'
import { decodingLongText } from '../../shared/text/text-encoding.ts'
import { clip } from '../../shared/xml/xml-names.ts'
import { refuse } from '../../errors.ts'
import { declaredType, readBody } from '../codec.ts'
import { releaseMemory } from './release-memory.ts'

type Failure = ReturnType<ReturnType<typeof Compile>['Errors']>[number]

const typesInWords: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  integer: 'a whole number',
  null: 'null',
  number: 'a number',
  object: 'an object',
  string: 'text',
}

/** Null, too, which join() makes nothing of. */
function oneOf(values: readonly unknown[]): string {
  const words = values.map(String)
  const last = words.pop() ?? ''
  return words.length === 0 ? last : `${words.join(', ')} or ${last}`
}

function ruleOf(failure: Failure): string {
  if (failure.keyword === 'minimum') return `must be at least ${failure.params.limit}`
  if (failure.keyword === 'maximum') return `must be at most ${failure.params.limit}`
  if (failure.keyword === 'format' && failure.params.format === 'date-time')
    return 'must be a timestamp with an offset, such as 2026-05-14T09:08:07+02:00'
  if (failure.keyword !== 'type') return failure.message
  const types = [failure.params.type].flat()
  return `must be ${types.map((type) => typesInWords[type] ?? type).join(' or ')}`
}

/** The validator's errors are about schemas; clients want the field and its allowed values. */
function sentenceFor(failure: Failure | undefined): string {
  if (failure === undefined) return 'The body does not match the documented schema.'
  const field = failure.instancePath.slice(1).replaceAll('/', '.')
  if (failure.keyword === 'required') {
    const missing = failure.params.requiredProperties
    return `The field${missing.length > 1 ? 's' : ''} ${missing.join(', ')} ${missing.length > 1 ? 'are' : 'is'} missing.`
  }
  if (failure.keyword === 'additionalProperties') {
    const unknown = failure.params.additionalProperties.map((name) => clip(name))
    return `Unknown field: ${unknown.join(', ')}.`
  }
  if (failure.keyword === 'enum') {
    return `The field ${field} must be one of ${oneOf(failure.params.allowedValues)}.`
  }
  if (failure.keyword === 'boolean') return `Unknown field: ${clip(field)}.`
  return `${field === '' ? 'The body' : `The field ${clip(field)}`} ${ruleOf(failure)}.`
}

/** No valid body has nearly as many values; a body with more is designed to cost memory. */
const maxValues = 10_000
/** But one with the line of a trail: 50,000 points with their heights. */
const maxValuesOfLine = 250_000

/** @returns a parser for JSON bytes; compiled once. */
export function createJsonReader<Schema extends TSchema>(schema: Schema, max = maxValues) {
  const validator = Compile(schema)

  /** Gives the bytes back. @throws refusals `malformed-body`, `invalid-field`. */
  return async function readJson(bytes: Uint8Array): Promise<Static<Schema>> {
    const text = await runYielding(decodingLongText(bytes, 'utf-8'))
    releaseMemory(bytes)
    if (!text.ok) throw refuse(text.fault.code, { detail: text.fault.detail })
    const reading = await runYielding(readingJsonText(text.value, { maxValues: max }))
    if (!reading.ok) throw refuse(reading.fault.code, { detail: reading.fault.detail })
    if (validator.Check(reading.value)) return reading.value
    throw refuse('invalid-field', { detail: sentenceFor(validator.Errors(reading.value)[0]) })
  }
}

/** Call it before the state of the resource is checked (contract C31). @throws refusal `unsupported-media-type`. */
export function requireJsonBody(request: FastifyRequest): void {
  if (declaredType(request).essence === 'application/json') return
  throw refuse('unsupported-media-type', { detail: 'The v2 surface accepts only application/json.' })
}

/**
 * @returns a reader for bodies of the schema; compiled once. `large` bodies may contain a route, `line` ones a trail's
 * line.
 */
export function createBodyReader<Schema extends TSchema>(
  schema: Schema,
  size: 'small' | 'large' | 'line' = 'small',
) {
  const readJson = createJsonReader(schema, size === 'line' ? maxValuesOfLine : maxValues)

  /** @throws refusals `unsupported-media-type`, `body-too-large`, `malformed-body`, `invalid-field`. */
  return async function readV2Body(request: FastifyRequest): Promise<Static<Schema>> {
    requireJsonBody(request)
    const { maxDetailsBytes, maxRouteBytes } = request.server.limits
    return readJson(await readBody(request, size === 'small' ? maxDetailsBytes : maxRouteBytes))
  }
}
