// A client that sends a start, then a piece now and then, and waits for the server to lose patience.
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { assertProblem } from './problems.ts'
import { parseAnswer } from './wire.ts'

export interface Ended {
  readonly said: string
  /** From the connection to its end. */
  readonly seconds: number
}

const chunkEveryMs = 100

/** Resolves once the server has closed the connection. */
export async function dribble(url: string, start: string, chunk: string): Promise<Ended> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  const startedAt = performance.now()
  let said = ''
  socket.on('data', (heard) => (said += heard.toString('latin1')))
  socket.on('error', () => undefined) // the reset, where it was sending when the connection ended
  socket.write(start)
  const timer = setInterval(() => socket.writable && socket.write(chunk), chunkEveryMs)
  await new Promise((resolve) => socket.once('close', resolve))
  clearInterval(timer)
  return { said, seconds: (performance.now() - startedAt) / 1_000 }
}

export function assertOneAnswer(said: string, status: number): void {
  assert.deepEqual(said.match(/HTTP\/1\.1 \d+/g), [`HTTP/1.1 ${status}`], said)
}

/** The parser looks every so often, the client reads for a second, and the machine may be busy. */
const maxLateSeconds = 4

export async function assertTimeout({ said, seconds }: Ended, least: number, detail: RegExp): Promise<void> {
  assertOneAnswer(said, 408)
  assert.match(said, /^connection: close\r$/im)
  const problem = await assertProblem(parseAnswer(said), 'request-timeout')
  assert.match(problem.detail ?? '', detail)
  assert.ok(seconds > least - 0.1 && seconds < least + maxLateSeconds, `after ${seconds} s`)
}
