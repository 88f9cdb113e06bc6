// Records, at a proxy, which statements are sent to PostgreSQL (protocol 3.0), and in how many round trips.
import type { Tap } from './tcp-proxy.ts'

/** Statements that were sent without waiting for a response in between. */
export type Turn = readonly string[]

const [query, parse, bind, sync, readyForQuery] = ['Q', 'P', 'B', 'S', 'Z']
const headBytes = 5

/** Splits a stream into messages. A client's first message has no type. */
function createReader(onMessage: (type: string, body: Buffer) => void, hasStartup: boolean) {
  let rest = Buffer.alloc(0)
  let isStarted = !hasStartup
  return (bytes: Buffer): void => {
    rest = Buffer.concat([rest, bytes])
    for (;;) {
      const typeBytes = isStarted ? 1 : 0
      if (rest.length < typeBytes + 4) return
      const end = typeBytes + rest.readUInt32BE(typeBytes)
      if (rest.length < end) return
      if (isStarted) onMessage(String.fromCharCode(rest[0] ?? 0), rest.subarray(headBytes, end))
      isStarted = true
      rest = rest.subarray(end)
    }
  }
}

const textsIn = (body: Buffer): string[] => body.toString('latin1').split('\0')

/** @param onTurn called for each round trip once all responses have arrived, with their number. */
export function tapPostgres(onTurn: (turn: Turn, answers: number) => void): Tap {
  const prepared = new Map<string, string>()
  let turn: string[] = []
  let awaited = 1 // the response to the startup message
  let answers = 0
  const sent = createReader((type, body) => {
    const [first = '', second = ''] = textsIn(body)
    if (type === parse) prepared.set(first, second)
    if (type === query) turn.push(first)
    if (type === bind) turn.push(prepared.get(second) ?? second)
    if (type === query || type === sync) awaited += 1
  }, true)
  const answered = createReader((type) => {
    if (type !== readyForQuery) return
    awaited -= 1
    answers += 1
    if (awaited > 0) return
    if (turn.length > 0) onTurn(turn, answers)
    turn = []
    answers = 0
  }, false)
  return { sent, answered }
}
