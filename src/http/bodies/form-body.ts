// Reads what a form of a page sends.
import type { FastifyRequest } from 'fastify'
import { refuse } from '../../errors.ts'
import { declaredType, readBody } from '../codec.ts'

const maxFields = 100

/**
 * The fields of a form, each once.
 * @throws refusals `unsupported-media-type`, `body-too-large`, `malformed-body`.
 */
export async function readForm(request: FastifyRequest): Promise<ReadonlyMap<string, string>> {
  const { essence } = declaredType(request)
  if (essence !== 'application/x-www-form-urlencoded') {
    throw refuse('unsupported-media-type', {
      detail: 'Forms must be sent as application/x-www-form-urlencoded.',
    })
  }
  const text = decodeForm(await readBody(request))
  const fields = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(text)) {
    if (fields.has(name)) throw refuse('malformed-body', { detail: 'The form has a duplicate field.' })
    if (fields.size >= maxFields) throw refuse('malformed-body', { detail: 'The form has too many fields.' })
    fields.set(name, value)
  }
  return fields
}

function decodeForm(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw refuse('malformed-body', { detail: 'The form is not valid UTF-8.' })
  }
}
