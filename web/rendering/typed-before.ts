// What was typed or chosen in a page of the server before the app took it over: its fields are told of it then, as if it had
// been typed into them at that moment, since nothing has heard it.

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement

/** The fields of the page, with what stood in them. */
export type TypedBefore = ReadonlyMap<Field, string>

/** Hidden fields, and what is no text, are not what somebody types into. */
const fields =
  'select, textarea, input:not([type=hidden], [type=checkbox], [type=radio], [type=submit], [type=file])'

function sentValueOf(field: Field): string {
  if (!(field instanceof HTMLSelectElement)) return field.defaultValue
  const { options } = field
  return [...options].find(({ defaultSelected }) => defaultSelected)?.value ?? options[0]?.value ?? ''
}

/** To be looked at before React has touched the fields. */
export const readTyped = (root: Element): TypedBefore =>
  new Map([...root.querySelectorAll<Field>(fields)].map((field) => [field, field.value]))

/** Past what React has put on the field itself, by which it knows what it has seen. */
function setUnseen(field: Field, value: string): void {
  const prototype: unknown = Object.getPrototypeOf(field)
  const { set } = Object.getOwnPropertyDescriptor(prototype, 'value') ?? {}
  set?.call(field, value)
}

function tell(field: Field, typed: string): void {
  const sent = sentValueOf(field)
  // Whoever goes on typing has more in it by now.
  const value = field.value === sent ? typed : field.value
  if (value === sent) return
  const isText = !(field instanceof HTMLSelectElement)
  const [start, end] = isText ? [field.selectionStart, field.selectionEnd] : [null, null]
  // React hears of a text only where it differs from the one that it has seen.
  field.value = sent
  setUnseen(field, value)
  if (isText && start !== null) field.setSelectionRange(start, end ?? start)
  field.dispatchEvent(new Event(isText ? 'input' : 'change', { bubbles: true }))
  // Some take what was typed when they are left; by then they have been drawn with it.
  if (field !== document.activeElement)
    setTimeout(() => field.dispatchEvent(new FocusEvent('focusout', { bubbles: true })))
}

/** Frames, of which a slow device has few while the app comes. */
const maxFrames = 300

/** Parts of a page become alive one after the other; React leaves its mark on what it has reached. */
const isAlive = (field: Field): boolean => Object.keys(field).some((name) => name.startsWith('__react'))

/** As soon as the fields hear what is typed. */
export function tellTyped(typed: TypedBefore, frames = maxFrames): void {
  const all = [...typed].filter(([field]) => field.isConnected)
  for (const [field, value] of all) if (isAlive(field)) tell(field, value)
  const others = new Map(all.filter(([field]) => !isAlive(field)))
  if (others.size > 0 && frames > 0) requestAnimationFrame(() => tellTyped(others, frames - 1))
}
