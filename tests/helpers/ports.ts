// Ports for servers of other programs, which must be told one, and for those that must restart on the same port.
import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below the kernel's ephemeral ports; an outgoing connection could otherwise take the port while its server is down. */
const [lowest, highest] = [15_000, 32_000]
const attempts = 50

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch {
    return false
  }
  await new Promise((resolve) => server.close(resolve))
  return true
}

/** A server may take a while until it listens. */
const given = new Set<number>()

/** A free port on loopback, never the same twice. */
export async function lastingPort(): Promise<number> {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const port = lowest + Math.floor(Math.random() * (highest - lowest))
    if (given.has(port)) continue
    given.add(port)
    if (await isFree(port)) return port
  }
  throw new Error('no port is free')
}
