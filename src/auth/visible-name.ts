// Names that people give to keys and applications: short, and nothing in them hides or turns round the text beside them.
import { refuse } from '../errors.ts'

export const maxNameCharacters = 200

/** @param field names it to whoever sent it. @throws refusal `invalid-field`. */
export function visibleName(text: string, field = 'name'): string {
  const name = text.trim()
  const isPlain = !/[\p{C}\p{Zl}\p{Zp}]/u.test(name)
  if (name !== '' && isPlain && Array.from(name).length <= maxNameCharacters) return name
  throw refuse('invalid-field', {
    detail: `${field} must have 1 to ${maxNameCharacters} characters, without invisible ones.`,
  })
}
