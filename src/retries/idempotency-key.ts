// The header Idempotency-Key: read, and described (contract C18).
import { refuse } from '../errors.ts'

/**
 * @param values the header's values, one for each time it was sent; the same one twice is one.
 * @returns undefined where it was not sent.
 * @throws refusal `invalid-header`.
 */
export function readIdempotencyKey(values: readonly string[] = []): string | undefined {
  const [key, ...others] = new Set(values)
  if (key === undefined) return undefined
  if (others.length > 0) {
    throw refuse('invalid-header', { detail: 'The header Idempotency-Key must be given once.' })
  }
  if (/^[!-~]{1,255}$/.test(key)) return key
  throw refuse('invalid-header', {
    detail:
      'The header Idempotency-Key must be 1 to 255 visible ASCII characters, without spaces, such as a UUID.',
  })
}

/** The header for OpenAPI, of an endpoint that makes something of this name. */
export const idempotencyHeader = (thing: string) => ({
  headers: {
    type: 'object',
    properties: {
      'Idempotency-Key': {
        type: 'string',
        pattern: '^[!-~]{1,255}$',
        description: `A name of this very request, such as a UUID. For 24 hours the same request with the same key gets the same answer and makes no second ${thing}.`,
      },
    },
  },
})
