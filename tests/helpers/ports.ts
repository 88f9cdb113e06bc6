// Ports for test servers that must restart on the same port.
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

/** A free port on loopback. */
export async function lastingPort(): Promise<number> {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const port = lowest + Math.floor(Math.random() * (highest - lowest))
    if (await isFree(port)) return port
  }
  throw new Error('no port is free')
}
