// Reads and checks a v2 JSON body against its schema, with one sentence for the first thing wrong.
import type { FastifyRequest } from 'fastify'
import type { Static, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { readJson } from '../contract/json.ts'
import { refuse } from '../errors.ts'
import { declaredType, readBody } from './codec.ts'

const limitBytes = 64 * 1024

/** @returns a reader for bodies of the schema; compiled once. */
export function createBodyReader<Schema extends TSchema>(schema: Schema) {
  const validator = Compile(schema)

  /** @throws refusals `unsupported-media-type`, `body-too-large`, `malformed-body`, `invalid-field`. */
  return async function readV2Body(request: FastifyRequest): Promise<Static<Schema>> {
    const { essence } = declaredType(request)
    if (essence !== 'application/json') {
      throw refuse('unsupported-media-type', { detail: 'The v2 surface takes application/json.' })
    }
    const reading = readJson(await readBody(request, limitBytes))
    if (!reading.ok) throw refuse(reading.fault.code, { detail: reading.fault.detail })
    if (validator.Check(reading.value)) return reading.value
    const [first] = validator.Errors(reading.value)
    const place = first?.instancePath
      ? `The field ${first.instancePath.slice(1).replaceAll('/', '.')}`
      : 'The body'
    throw refuse('invalid-field', { detail: `${place} ${first?.message ?? 'is not as documented'}.` })
  }
}
