// Parses server-sent events (HTML Standard, 9.2.6) from a response body.

export interface Frame {
  /** The last id so far, even if this frame had none. */
  readonly id: string
  readonly type: string
  /** Undefined for a frame that only updates the id. */
  readonly data: string | undefined
  readonly retryMs: number | undefined
}

/** Takes text in chunks of any size and returns the complete frames. */
export function createFrameReader() {
  let rest = ''
  let id = ''
  let type = ''
  let data: string[] = []
  let retryMs: number | undefined

  function readLine(line: string): Frame | undefined {
    if (line === '') {
      const frame = {
        id,
        type: type || 'message',
        data: data.length > 0 ? data.join('\n') : undefined,
        retryMs,
      }
      type = ''
      data = []
      retryMs = undefined
      return frame
    }
    const colon = line.indexOf(':')
    const name = colon === -1 ? line : line.slice(0, colon)
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (name === 'id' && !value.includes('\0')) id = value
    if (name === 'event') type = value
    if (name === 'data') data.push(value)
    if (name === 'retry' && /^\d+$/.test(value)) retryMs = Number(value)
    return undefined
  }

  return (text: string): Frame[] => {
    const all = rest + text
    // A CR at the end may be the first half of a CRLF.
    const end = all.endsWith('\r') ? all.length - 1 : all.length
    const lines = all.slice(0, end).split(/\r\n|\n|\r/)
    rest = (lines.pop() ?? '') + all.slice(end)
    return lines.flatMap((line) => readLine(line) ?? [])
  }
}
