// Replays what was typed or chosen in a page from the server before the app took it over: once the fields are hydrated, they
// get it as if it had just been typed.

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement

/** Fields that users type into or choose in; the only switches in pages from the server are radio buttons. */
const fields = 'select, textarea, input:not([type=hidden], [type=checkbox], [type=submit], [type=file])'

const isRadio = (field: Field): field is HTMLInputElement => field.type === 'radio'

/** For a radio button, whether it is checked. */
const valueOf = (field: Field): string => (isRadio(field) ? String(field.checked) : field.value)

function sentValueOf(field: Field): string {
  if (isRadio(field)) return String(field.defaultChecked)
  if (!(field instanceof HTMLSelectElement)) return field.defaultValue
  const { options } = field
  return [...options].find(({ defaultSelected }) => defaultSelected)?.value ?? options[0]?.value ?? ''
}

/** The value that the server sent in a field, and its value now. */
interface Typed {
  readonly sent: string
  readonly value: string
}

/** Of radio buttons, only the checked one counts as changed. */
const isChanged = (field: Field, { sent, value }: Typed): boolean =>
  value !== sent && !(isRadio(field) && value === 'false')

/**
 * Makes React hydrate the field if it can: it does so synchronously for this event, which has no other use here, and stops the
 * event at the root if a chunk is still loading.
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

/** Bypasses the property that React has put on the field to track its value. */
function setUnseen(field: Field, name: 'value' | 'checked', value: unknown): void {
  const prototype: unknown = Object.getPrototypeOf(field)
  const { set } = Object.getOwnPropertyDescriptor(prototype, name) ?? {}
  set?.call(field, value)
}

/** Makes React notice the value as a change: it has taken the value in the field as known, or has reset it. */
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
  // Some fields are committed on blur; by then they have been rendered with the new value.
  if (field !== document.activeElement)
    setTimeout(() => field.dispatchEvent(new FocusEvent('focusout', { bubbles: true })))
}

const againAfterMs = 50
/** By then React has hydrated most pages by itself, in small steps. */
const calmAfterMs = 1_000
/** Maximum time for a part of the page to load; after that a replay would surprise the user. */
const maxMs = 30_000

/**
 * To be called before React touches the fields.
 * @returns a function that replays the input, as soon as the fields are hydrated.
 */
export function keepTyped(root: Element): () => void {
  const start = performance.now()
  /** The fields that React may not have hydrated yet. */
  const typed = new Map<Field, Typed>()
  for (const field of root.querySelectorAll<Field>(fields))
    typed.set(field, { sent: sentValueOf(field), value: valueOf(field) })

  // Input during hydration is seen here first.
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
