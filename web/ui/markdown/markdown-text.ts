// Text and addresses within Markdown: entities as characters, and which addresses may be linked to.

/** Those that people type; any other stays as it was typed. */
const named: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  copy: '©',
  deg: '°',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  auml: 'ä',
  ouml: 'ö',
  uuml: 'ü',
  szlig: 'ß',
  eacute: 'é',
}

const ofCode = (code: number): string =>
  code > 0 && code <= 0x10_ff_ff && !(code >= 0xd8_00 && code <= 0xdf_ff)
    ? String.fromCodePoint(code)
    : '\ufffd'

const isName = (name: string): boolean => Object.hasOwn(named, name)

/** Entities as the characters that they name, which Markdown has from HTML. */
export const decoded = (text: string): string =>
  text
    .replaceAll(/&#(\d{1,7});/g, (_whole, code: string) => ofCode(Number(code)))
    .replaceAll(/&#[xX]([\da-fA-F]{1,6});/g, (_whole, code: string) => ofCode(Number.parseInt(code, 16)))
    .replaceAll(/&([a-zA-Z]{2,8});/g, (whole: string, name: string) =>
      isName(name) ? (named[name] ?? whole) : whole,
    )

const linked = new Set(['http:', 'https:', 'mailto:'])

/** The address as a browser would go there; undefined for every other kind, and for those within this site. */
export function addressIn(typed: string): string | undefined {
  const address = decoded(typed)
  // A browser leaves out blanks and controls within an address; who wrote some means to hide where it leads.
  if (Array.from(address).some((character) => character <= ' ' || character === '\u007f')) return undefined
  if (!URL.canParse(address)) return undefined
  const { protocol, href } = new URL(address)
  return linked.has(protocol) ? href : undefined
}
