// Measures the memory that slow uploads take: the rise of the resident size with many of them at once.
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { UploadServer } from './uploads.ts'

const pieceBytes = 16_384
const pauseMs = 40

function residentBytes(pid: number): number {
  const [, kilobytes = '0'] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) * 1_024
}

/**
 * Sends a body in small chunks.
 * @returns the status.
 */
async function trickle(
  { port, paths, tokens }: UploadServer,
  body: Uint8Array,
  turn: number,
): Promise<number> {
  const socket = connect(port, '127.0.0.1')
  const answer = new Promise<number>((resolve, reject) => {
    socket.once('error', reject).once('data', (bytes) => resolve(Number(bytes.toString().split(' ')[1])))
  })
  const head = [
    `POST ${paths[0]} HTTP/1.1`,
    'Host: 127.0.0.1',
    `Authorization: Bearer ${tokens[turn % tokens.length]}`,
    'Content-Type: image/jpeg',
    `Content-Length: ${body.length}`,
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  for (let at = 0; at < body.length; at += pieceBytes) {
    socket.write(body.subarray(at, at + pieceBytes))
    await sleep(pauseMs)
  }
  const status = await answer
  socket.destroy()
  return status
}

/**
 * @param bodies all different.
 * @returns the maximum rise in bytes, per upload.
 */
export async function memoryOfSlowUploads(
  server: UploadServer,
  bodies: readonly Uint8Array[],
): Promise<number> {
  const before = residentBytes(server.pid)
  let max = before
  const timer = setInterval(() => {
    max = Math.max(max, residentBytes(server.pid))
  }, pauseMs)
  try {
    const statuses = await Promise.all(bodies.map((body, turn) => trickle(server, body, turn)))
    const wrong = statuses.find((status) => status !== 201)
    if (wrong !== undefined) throw new Error(`a slow upload was answered ${wrong}.`)
  } finally {
    clearInterval(timer)
  }
  return (max - before) / bodies.length
}
