// What was typed or chosen in a page of the server before the app took it over: its fields are told of it then, as if it had
// been typed into them at that moment, since nothing has heard it.

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement

/** Hidden fields, and what is no text, are not what somebody types into; of switches, pages of the server have radios alone. */
const fields = 'select, textarea, input:not([type=hidden], [type=checkbox], [type=submit], [type=file])'

const isRadio = (field: Field): field is HTMLInputElement => field.type === 'radio'

/** Of a radio, whether it is the one that is chosen. */
const valueOf = (field: Field): string => (isRadio(field) ? String(field.checked) : field.value)

function sentValueOf(field: Field): string {
  if (isRadio(field)) return String(field.defaultChecked)
  if (!(field instanceof HTMLSelectElement)) return field.defaultValue
  const { options } = field
  return [...options].find(({ defaultSelected }) => defaultSelected)?.value ?? options[0]?.value ?? ''
}

/** What the server sent in a field, and what somebody has left in it. */
interface Typed {
  readonly sent: string
  readonly value: string
}

/** Of two radios, the one that is chosen is what changed. */
const isChanged = (field: Field, { sent, value }: Typed): boolean =>
  value !== sent && !(isRadio(field) && value === 'false')

/**
 * Makes React take the field over, where it can: it does so at once for such an event, which nobody else cares for, and
 * stops the event at the root where a chunk is still on the way.
 */
function becomesAlive(field: Field): boolean {
  let isReached = false
  const reach = (): void => {
    isReached = true
  }
  field.addEventListener('touchcancel', reach, { once: true })
  field.dispatchEvent(new Event('touchcancel', { bubbles: true }))
  field.removeEventListener('touchcancel', reach)
  return isReached
}

/** Past what React has put on the field itself, by which it knows what it has seen. */
function setUnseen(field: Field, name: 'value' | 'checked', value: unknown): void {
  const prototype: unknown = Object.getPrototypeOf(field)
  const { set } = Object.getOwnPropertyDescriptor(prototype, name) ?? {}
  set?.call(field, value)
}

/** So that React finds in the field what it has not seen there: it has taken for granted what stood in it, or put it back. */
function put(field: Field, { sent, value }: Typed): void {
  if (isRadio(field)) {
    field.checked = false
    setUnseen(field, 'checked', true)
    return
  }
  const isText = !(field instanceof HTMLSelectElement)
  const [start, end] = isText ? [field.selectionStart, field.selectionEnd] : [null, null]
  field.value = sent
  setUnseen(field, 'value', value)
  if (isText && start !== null) field.setSelectionRange(start, end ?? start)
}

function tell(field: Field, typed: Typed): void {
  put(field, typed)
  const name = isRadio(field) ? 'click' : field instanceof HTMLSelectElement ? 'change' : 'input'
  field.dispatchEvent(new Event(name, { bubbles: true }))
  // Some take what was typed when they are left; by then they have been drawn with it.
  if (field !== document.activeElement)
    setTimeout(() => field.dispatchEvent(new FocusEvent('focusout', { bubbles: true })))
}

const againAfterMs = 50
/** By then React has taken most pages over by itself, in small steps. */
const calmAfterMs = 1_000
/** A part of the page may take this long to come; after that nobody expects it any more. */
const maxMs = 30_000

/**
 * To be called before React touches the fields.
 * @returns what tells them, as soon as they hear it.
 */
export function keepTyped(root: Element): () => void {
  const start = performance.now()
  /** The fields that React may not have taken over yet. */
  const typed = new Map<Field, Typed>()
  for (const field of root.querySelectorAll<Field>(fields))
    typed.set(field, { sent: sentValueOf(field), value: valueOf(field) })

  // What comes while React takes the page over is seen here first.
  const note = ({ target, type }: Event): void => {
    const field = target as Field
    const before = typed.get(field)
    if (before === undefined || isRadio(field) !== (type === 'click')) return
    const now = { ...before, value: valueOf(field) }
    for (const [other, { sent }] of typed)
      if (isRadio(other) && other.name === field.name) typed.set(other, { sent, value: 'false' })
    typed.set(field, now)
    if (!becomesAlive(field)) return
    typed.delete(field)
    if (isChanged(field, now)) put(field, now)
  }
  const events = ['click', 'input', 'change']
  for (const name of events) addEventListener(name, note, true)

  return function tellAll() {
    const since = performance.now() - start
    for (const [field, left] of typed) {
      const isTold = isChanged(field, left)
      if (field.isConnected && !((isTold || since > calmAfterMs) && becomesAlive(field))) continue
      typed.delete(field)
      if (field.isConnected && isTold) tell(field, left)
    }
    if (typed.size > 0 && since < maxMs) setTimeout(tellAll, againAfterMs)
    else for (const name of events) removeEventListener(name, note, true)
  }
}
