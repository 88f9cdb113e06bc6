// Removes possible secrets, and characters that manipulate a terminal, from texts for the log or for responses.

/** API keys and client secrets, anywhere in the text. */
const ours = /wms?_[\w-]{8,}/gi

/** Nothing shorter is taken out. */
const minSecretLength = 11

/** Access tokens have no prefix: no other word of ours is as long. */
const longRun = /[\w-]{32,}/g

export function withoutSecrets(text: string): string {
  return text.replaceAll(ours, 'wm_…').replaceAll(longRun, '…')
}

/**
 * Control characters, including those beyond ASCII that terminals obey, and invisible or direction-changing characters.
 */
const unseen = /[\p{C}\p{Zl}\p{Zp}]/gu

const maxPathLength = 500

/** A letter of a key may have been sent as an escape. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/** The path of an address as the log shows it: never the query, which may hold a key, and never a key or token in it. */
export function pathForLog(url: string): string {
  const [path = ''] = url.split('?', 1)
  const segments = path.split('/').map((segment) => {
    if (segment.length < minSecretLength && !segment.includes('%')) return segment
    const plain = segment.includes('%') ? decoded(segment) : segment
    const safe = withoutSecrets(plain)
    return safe === plain ? segment : safe
  })
  const whole = segments.join('/')
  return whole.length > maxPathLength ? `${whole.slice(0, maxPathLength)}…` : whole
}

/**
 * A JSON line that is safe to write: an error that quotes input shows no key, and nothing in it moves the cursor of the
 * reader's terminal. The escapes are those of JSON, so the line means the same.
 */
export function lineForLog(line: string): string {
  const body = line.endsWith('\n') ? line.slice(0, -1) : line
  // As most lines are: to rule both out at once is quicker than to look for each.
  if (!/wms?_|[^ -~]/i.test(body)) return `${body}\n`
  const escape = (character: string): string =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join('')
  return `${body.replaceAll(ours, 'wm_…').replaceAll(unseen, escape)}\n`
}
