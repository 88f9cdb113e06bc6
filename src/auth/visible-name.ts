// Names that users give to keys and applications: short, and without characters that hide or reverse adjacent text.
import { refuse } from '../errors.ts'

export const maxNameCharacters = 200

/** @param field its name in error messages. @throws refusal `invalid-field`. */
export function visibleName(text: string, field = 'name'): string {
  const name = text.trim()
  const isPlain = !/[\p{C}\p{Zl}\p{Zp}]/u.test(name)
  if (name !== '' && isPlain && Array.from(name).length <= maxNameCharacters) return name
  throw refuse('invalid-field', {
    detail: `${field} must have 1 to ${maxNameCharacters} characters, without invisible ones.`,
  })
}
