// The parts of a form: fields, choices, buttons and notices, each with its label and what a screen reader needs.
import { attributes, html, type Html, type HtmlValue } from './html.ts'

export interface FieldOptions {
  readonly name: string
  readonly label: string
  readonly type?: 'text' | 'email' | 'password' | 'url' | 'search' | 'number' | 'date' | 'textarea'
  readonly value?: string | undefined
  readonly autocomplete?: string
  readonly hint?: string | Html | undefined
  /** What was wrong with it, in one sentence. */
  readonly error?: string | undefined
  readonly isRequired?: boolean
  readonly maxLength?: number
  readonly inputMode?: 'text' | 'numeric' | 'email' | 'url' | 'none'
  readonly pattern?: string
  /** Where two fields of one page have the same name. */
  readonly id?: string
}

interface Explanation {
  readonly hint?: string | Html | undefined
  readonly error?: string | undefined
}

/** The sentences around a control, and the attributes by which a screen reader finds them. */
function explain(id: string, { hint, error }: Explanation) {
  const ids = [...(hint === undefined ? [] : [`${id}-hint`]), ...(error === undefined ? [] : [`${id}-error`])]
  return {
    above: hint !== undefined && html`<p class="hint" id="${id}-hint">${hint}</p>`,
    below: error !== undefined && html`<p class="error" id="${id}-error">${error}</p>`,
    described: {
      'aria-describedby': ids.length > 0 && ids.join(' '),
      'aria-invalid': error !== undefined && 'true',
    },
  }
}

/** Fields whose input is not prose. */
const isPlainText: ReadonlySet<string> = new Set(['email', 'url', 'password'])

export function field(options: FieldOptions): Html {
  const { name, label, type = 'text', value, isRequired, id = `field-${name}` } = options
  const { above, below, described } = explain(id, options)
  const shared = attributes({
    id,
    name,
    autocomplete: options.autocomplete,
    maxlength: options.maxLength,
    required: isRequired,
    ...described,
  })
  const own = attributes({
    type,
    value,
    inputmode: options.inputMode,
    pattern: options.pattern,
    ...(isPlainText.has(type) ? { autocapitalize: 'none', spellcheck: 'false' } : {}),
  })
  // A browser takes the first line break of a text area for layout, and drops it.
  const control =
    type === 'textarea'
      ? html`<textarea ${shared} rows="4">${'\n'}${value}</textarea>`
      : html`<input ${shared} ${own} />`
  return html`<div class="field"><label for="${id}">${label}</label>${above}${control}${below}</div> `
}

export interface ChoiceOptions {
  readonly name: string
  readonly label: string | Html
  readonly kind?: 'checkbox' | 'radio'
  readonly value?: string
  readonly isChecked?: boolean
  readonly isDisabled?: boolean
  readonly isRequired?: boolean
  readonly hint?: string | Html | undefined
  readonly error?: string | undefined
}

/** A checkbox with its label. */
export function choice(options: ChoiceOptions): Html {
  const { name, label, kind: type = 'checkbox', value = 'yes' } = options
  const id = `choice-${name}-${value.replaceAll(/[^\w-]/g, '_')}`
  const { above, below, described } = explain(id, options)
  const own = attributes({
    id,
    type,
    name,
    value,
    checked: options.isChecked,
    disabled: options.isDisabled,
    required: options.isRequired,
    ...described,
  })
  return html`<div class="choice">
    <input ${own} />
    <div><label for="${id}">${label}</label>${above}${below}</div>
  </div> `
}

export interface Option {
  readonly value: string
  readonly label: string
  readonly hint?: string
}

export interface ChoicesOptions {
  readonly kind: 'checkbox' | 'radio' | 'select'
  readonly name: string
  readonly label: string
  readonly options: readonly Option[]
  /** Those chosen already. */
  readonly values?: readonly string[]
  readonly hint?: string | Html | undefined
  readonly error?: string | undefined
}

/** Several to choose from: a list to open, or a group of boxes. */
export function choices(options: ChoicesOptions): Html {
  const { kind, name, label, values = [] } = options
  const id = `field-${name}`
  const { above, below, described } = explain(id, options)
  if (kind === 'select') {
    const items = options.options.map(
      ({ value, label: words }) =>
        html`<option ${attributes({ value, selected: values.includes(value) })}>${words}</option>`,
    )
    const list = html`<select ${attributes({ id, name, ...described })}>
      ${items}
    </select>`
    return html`<div class="field"><label for="${id}">${label}</label>${above}${list}${below}</div> `
  }
  const items = options.options.map((option) =>
    choice({ ...option, kind, name, isChecked: values.includes(option.value) }),
  )
  // A group cannot be invalid to a screen reader; its boxes can, and the sentence is read with the group.
  return html`<fieldset ${attributes({ 'aria-describedby': described['aria-describedby'] })}>
    <legend>${label}</legend>
    ${above}${items}${below}
  </fieldset> `
}

export interface ButtonOptions {
  readonly name?: string
  readonly value?: string
  readonly kind?: 'primary' | 'plain' | 'danger'
}

/** Sends the form it is in. */
export function button(label: string, { name, value, kind = 'primary' }: ButtonOptions = {}): Html {
  return html`<button ${attributes({ type: 'submit', class: `button ${kind}`, name, value })}>
    ${label}
  </button> `
}

/** A value that the person does not see. */
export function hidden(name: string, value: string): Html {
  return html`<input ${attributes({ type: 'hidden', name, value })} />`
}

/** A bad one is read out at once. */
export function notice(kind: 'good' | 'bad' | 'info', text: string | Html): Html {
  const role = kind === 'bad' ? 'alert' : 'status'
  return html`<div class="notice ${kind}" role="${role}"><p>${text}</p></div> `
}

export interface FormOptions {
  /** As the browser needs it, by `site.href`. */
  readonly action: string
  readonly children: HtmlValue
  /** If a page has more than one, for a screen reader's list of them. */
  readonly label?: string
}

export function form({ action, children, label }: FormOptions): Html {
  return html`<form ${attributes({ method: 'post', action, 'aria-label': label })}>${children}</form> `
}
