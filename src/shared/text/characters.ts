// Characters as the contract counts them (code points, C13) and allows them (those of XML 1.0, C8).

/** Code points, not UTF-16 units: one emoji outside the BMP counts once. */
export function countCharacters(text: string): number {
  // Found by the engine in a tenth of the time; most texts have none.
  if (!/[\ud800-\udbff]/.test(text)) return text.length
  let count = 0
  for (let index = 0; index < text.length; index += 1) {
    count += 1
    if (isHighSurrogate(text.charCodeAt(index)) && isLowSurrogate(text.charCodeAt(index + 1))) index += 1
  }
  return count
}

export function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff
}

export function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff
}

/**
 * Of one UTF-16 unit that is no surrogate: whether XML 1.0 has no way to carry it, not even as a reference.
 */
export function isForbiddenUnit(code: number): boolean {
  if (code < 0x20) return code !== 0x09 && code !== 0x0a && code !== 0x0d
  return code === 0xfffe || code === 0xffff
}

const forbidden = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu

/**
 * The text as XML can carry it. Reading refuses what XML forbids, so this changes nothing that came in by a
 * body; a name that got into the store another way must not make a whole list unreadable to every XML client.
 */
export function replaceForbidden(text: string): string {
  return text.replace(forbidden, '\u{fffd}')
}
