// Starts the bare node:http server, the upper limit for any server on node:http.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { watchChild } from './child.ts'
import type { HttpTarget } from './load.ts'

export const helloName = 'node:http hello'

/** @returns the target for load.ts, and a function to stop it. */
export async function startHello(): Promise<HttpTarget & { close(): Promise<void> }> {
  const process = fork(path.join(import.meta.dirname, 'hello-server.ts'))
  const child = watchChild(process, helloName, () => '')
  const [port] = (await once(process, 'message')) as [number]
  const { pid, death, close } = child
  return { name: helloName, port, pids: [pid], death, close, asks: [{ path: '/', bytes: 5 }] }
}
