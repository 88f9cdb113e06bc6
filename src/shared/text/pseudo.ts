// The pseudo-locale: each text in brackets, with accents, and 40 % longer. Shows what is not translated, or has no room.

const plain = 'aeiouycnszAEIOUYCNSZ'
const accented = 'áéíóúýçñšžÁÉÍÓÚÝÇÑŠŽ'
const accents: ReadonlyMap<string, string> = new Map(
  Array.from(plain, (letter, index) => [letter, accented.charAt(index)]),
)

/** Tags, as of a link in a sentence, stay as they are. @example pseudoText('Save') // '[Šávé~~]' */
export function pseudoText(text: string): string {
  if (text === '' || text.startsWith('[')) return text
  // As words, so that a long text breaks where one would.
  const tildes = Math.ceil(text.length * 0.4)
  const longer = Array.from({ length: Math.ceil(tildes / 8) }, (_, word) =>
    '~'.repeat(Math.min(8, tildes - 8 * word)),
  ).join(' ')
  return `[${text.replaceAll(/<[^<>]*>|[a-z]/gi, (part) => accents.get(part) ?? part)}${longer}]`
}

/** Every text of a catalogue, and every text that its functions return. */
export function pseudo<T>(value: T): T {
  if (typeof value === 'string') return pseudoText(value) as T
  if (typeof value === 'function') {
    return ((...values: readonly unknown[]) => pseudo(Reflect.apply(value, undefined, values))) as T
  }
  if (Array.isArray(value)) return value.map((one: unknown) => pseudo(one)) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, pseudo<unknown>(one)])) as T
}
