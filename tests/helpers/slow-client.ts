// A client that sends the start of a request and then small chunks, until the server times out.
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { assertProblem } from './problems.ts'
import { parseAnswer } from './wire.ts'

export interface Ended {
  readonly said: string
  /** Duration of the connection. */
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
  socket.on('error', () => undefined) // reset, if it was sending when the connection was closed
  socket.write(start)
  const timer = setInterval(() => socket.writable && socket.write(chunk), chunkEveryMs)
  await new Promise((resolve) => socket.once('close', resolve))
  clearInterval(timer)
  return { said, seconds: (performance.now() - startedAt) / 1_000 }
}

export function assertOneAnswer(said: string, status: number): void {
  assert.deepEqual(said.match(/HTTP\/1\.1 \d+/g), [`HTTP/1.1 ${status}`], said)
}

/** Allows for the parser's check interval, the client's reads of a second, and a busy machine. */
const maxLateSeconds = 4

export async function assertTimeout({ said, seconds }: Ended, min: number, detail: RegExp): Promise<void> {
  assertOneAnswer(said, 408)
  assert.match(said, /^connection: close\r$/im)
  const problem = await assertProblem(parseAnswer(said), 'request-timeout')
  assert.match(problem.detail ?? '', detail)
  assert.ok(seconds > min - 0.1 && seconds < min + maxLateSeconds, `after ${seconds} s`)
}
