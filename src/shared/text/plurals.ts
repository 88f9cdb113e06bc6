// What a catalogue of texts is made with: numbers and plurals as its language has them.

export interface Tools {
  /** @returns the form for `count`, in which `#` is the number itself: `plural(2, { one: '# day', other: '# days' })`. */
  readonly plural: (count: number, forms: PluralForms) => string
}

export type PluralForms = Partial<Readonly<Record<Intl.LDMLPluralRule, string>>> & { readonly other: string }

export function toolsOf(locale: string): Tools {
  const rules = new Intl.PluralRules(locale)
  const numbers = new Intl.NumberFormat(locale)
  return {
    plural: (count, forms) =>
      (forms[rules.select(count)] ?? forms.other).replaceAll('#', numbers.format(count)),
  }
}
