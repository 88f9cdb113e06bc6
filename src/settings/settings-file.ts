// The file of settings of an installation, which systemd reads as EnvironmentFile too: both must read the same in it.
import { parseEnv } from 'node:util'

/** Its path in an installation. */
export const standardSettingsFile = '/etc/waymark/waymark.env'

/** A line that Node and systemd read alike. Node ends a plain value at #, and only systemd knows \ and ; and 'a'b. */
const readAlike =
  /^\s*(?:#.*|[A-Za-z_][A-Za-z0-9_]*=[^\S\n]*(?:'[^'\\]*'|"[^"\\]*"|[^\s'"`#\\][^`#\\]*)?\s*)?$/

/** A blank to JavaScript, and a part of the name to parseEnv and systemd: the setting would be lost without a word. */
const beginsInvisibly = (line: string): boolean => line.trimStart() !== line.replace(/^[ \t\r]+/, '')

/**
 * What a file of settings says, a line for each.
 * @throws RangeError of one sentence for a line that is none, or that systemd would read otherwise.
 */
export function readSettingsText(text: string, file: string): Readonly<Record<string, string>> {
  const lines = text.split('\n')
  const odd = lines.findIndex(beginsInvisibly)
  if (odd >= 0) {
    throw new RangeError(
      `Line ${odd + 1} of ${file} begins with an invisible character, such as a byte order mark: delete it.`,
    )
  }
  const wrong = lines.findIndex((line) => !readAlike.test(line))
  if (wrong >= 0) {
    throw new RangeError(
      `Line ${wrong + 1} of ${file} is not NAME=value: put a value with quotes or # in single quotes, and use no backslash.`,
    )
  }
  return parseEnv(text) as Record<string, string>
}
