// The header that makes a browser save an answer as a file, with a name in any script (RFC 6266).

const maxLength = 80

/**
 * The value of Content-Disposition.
 * @param name as people have it; what no file system takes is left out.
 * @param plain the same for programs that know no other: of letters, digits and hyphens.
 */
export function attachmentOf(name: string, plain: string, extension: string): string {
  const safe = name.replaceAll(/[\p{C}"\\/:*?<>|]+/gu, ' ').trim()
  const called = Array.from(safe).slice(0, maxLength).join('')
  const encoded = encodeURIComponent(`${called || plain}.${extension}`).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16)}`,
  )
  return `attachment; filename="${plain}.${extension}"; filename*=UTF-8''${encoded}`
}
