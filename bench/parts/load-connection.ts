// A cheap keep-alive connection of the load generator, with one request in flight. It parses only the length of
// responses.
import { connect, type Socket } from 'node:net'

export interface Answer {
  readonly status: number
  /** Length of the body as received, possibly compressed. */
  readonly bytes: number
}

export interface ConnectionOptions {
  readonly port: number
  /** Receives each chunk of the body, for the hash of a checked response. */
  readonly onBody?: (piece: Uint8Array) => void
  readonly onAnswer: (answer: Answer) => void
  readonly onFailure: (error: Error) => void
}

const pieceBytes = 256 * 1_024
const endOfHead = Buffer.from('\r\n\r\n')
/** A response to HEAD has the length of a body that is not sent. No other method starts with this letter. */
const firstOfHead = 'H'.charCodeAt(0)

interface Head {
  readonly status: number
  /** undefined: chunked. */
  readonly bytes: number | undefined
}

function readHead(head: string, isBodyless: boolean): Head {
  const status = Number(head.slice(9, 12))
  if (isBodyless || status === 304 || status === 204) return { status, bytes: 0 }
  // Common spellings first: a case-insensitive search costs as much as the rest of a response.
  let at = head.indexOf('\r\ncontent-length: ')
  if (at === -1) at = head.indexOf('\r\nContent-Length: ')
  if (at !== -1) return { status, bytes: Number.parseInt(head.slice(at + 18, at + 34), 10) }
  if (/\r\ntransfer-encoding: *chunked/i.test(head)) return { status, bytes: undefined }
  throw new Error(`an answer of unknown length: ${head.split('\r\n')[0]}`)
}

/** Parses a chunked body. */
function createChunks(onBody: (piece: Uint8Array) => void) {
  let left = 0
  let line = ''
  let bytes = 0
  let isLast = false

  return {
    bytes: (): number => bytes,
    /** @returns whether the body is complete. */
    take: (piece: Buffer): boolean => {
      let at = 0
      while (at < piece.length) {
        if (left > 2) {
          const part = piece.subarray(at, at + left - 2)
          onBody(part)
          bytes += part.length
          left -= part.length
          at += part.length
        } else if (left > 0) {
          left -= 1 // the line end after a chunk
          at += 1
        } else {
          const character = String.fromCharCode(piece[at] ?? 0)
          at += 1
          if (character !== '\n') {
            line += character
            continue
          }
          const size = line.trim()
          line = ''
          if (isLast && size === '') return true
          const length = Number.parseInt(size, 16)
          isLast = length === 0
          left = isLast ? 0 : length + 2
        }
      }
      return false
    },
  }
}

/** Connects. `ask` may be called once connected, and again after each response. */
export function openConnection({ port, onBody, onAnswer, onFailure }: ConnectionOptions) {
  const ignore = (): void => undefined
  let status = 0
  /** Remaining bytes of the body; -1 while waiting for the head. */
  let left = -1
  let length = 0
  let chunks: ReturnType<typeof createChunks> | undefined
  let begun: Buffer | undefined
  let isBodyless = false
  let isClosed = false

  function end(bytes: number): void {
    left = -1
    chunks = undefined
    onAnswer({ status, bytes })
  }

  function take(piece: Buffer): void {
    if (chunks) {
      if (chunks.take(piece)) end(chunks.bytes())
      return
    }
    if (left > 0) {
      onBody?.(piece)
      left -= piece.length
      if (left < 0) throw new Error('more came than the length that was told')
      if (left === 0) end(length)
      return
    }
    const whole = begun ? Buffer.concat([begun, piece]) : piece
    const at = whole.indexOf(endOfHead)
    if (at === -1) {
      begun = Buffer.from(whole) // the read buffer is reused
      return
    }
    begun = undefined
    const head = readHead(whole.toString('latin1', 0, at), isBodyless)
    status = head.status
    const body = whole.subarray(at + endOfHead.length)
    if (head.bytes === undefined) {
      chunks = createChunks(onBody ?? ignore)
      if (chunks.take(body)) end(chunks.bytes())
      return
    }
    length = head.bytes
    left = length
    if (left === 0) end(0)
    else if (body.length > 0) take(body)
  }

  const fail = (error: Error): void => {
    if (isClosed) return
    isClosed = true
    socket.destroy()
    onFailure(error)
  }

  const socket: Socket = connect({
    port,
    host: '127.0.0.1',
    noDelay: true,
    onread: {
      buffer: Buffer.allocUnsafe(pieceBytes),
      callback: (count, buffer) => {
        try {
          take((buffer as Buffer).subarray(0, count))
        } catch (error) {
          fail(error as Error)
        }
        return true
      },
    },
  })
  socket.on('error', fail)
  socket.on('close', () => fail(new Error('the server closed the connection')))

  return {
    ask: (request: Uint8Array): void => {
      isBodyless = request[0] === firstOfHead
      socket.write(request)
    },
    close: (): void => {
      isClosed = true
      socket.destroy()
    },
    connected: (): Promise<void> =>
      new Promise((resolve) => {
        if (socket.connecting) socket.once('connect', () => resolve())
        else resolve()
      }),
  }
}

export type Connection = ReturnType<typeof openConnection>
