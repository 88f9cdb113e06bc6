// A text as the pseudo-locale shows it: in brackets, with accents, and 40 % longer.

const plain = 'aeiouycnszAEIOUYCNSZ'
const accented = 'áéíóúýçñšžÁÉÍÓÚÝÇÑŠŽ'
const accents: ReadonlyMap<string, string> = new Map(
  Array.from(plain, (letter, index) => [letter, accented.charAt(index)]),
)

/** @example pseudoText('Save') // '[Šávé~~]' */
export function pseudoText(text: string): string {
  if (text === '' || text.startsWith('[')) return text
  const longer = '~'.repeat(Math.ceil(text.length * 0.4))
  return `[${text.replaceAll(/[a-z]/gi, (letter) => accents.get(letter) ?? letter)}${longer}]`
}
