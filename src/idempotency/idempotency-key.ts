// Reads the header Idempotency-Key (contract C18).
import { refuse } from '../errors.ts'

/**
 * @param values the header's values, one per occurrence; a repeated value counts once.
 * @returns undefined if it was not sent.
 * @throws refusal `invalid-header`.
 */
export function readIdempotencyKey(values: readonly string[] = []): string | undefined {
  const [key, ...others] = new Set(values)
  if (key === undefined) return undefined
  if (others.length > 0) {
    throw refuse('invalid-header', { detail: 'The header Idempotency-Key must be sent only once.' })
  }
  if (/^[!-~]{1,255}$/.test(key)) return key
  throw refuse('invalid-header', {
    detail:
      'The header Idempotency-Key must be 1 to 255 visible ASCII characters, without spaces, such as a UUID.',
  })
}
