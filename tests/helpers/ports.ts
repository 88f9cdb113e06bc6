// Ports for servers of tests that must come back on the one they had.
import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below those that the kernel gives to outgoing connections: one of these would take the port while its server is down. */
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

/** A port of loopback that is free now. */
export async function lastingPort(): Promise<number> {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const port = lowest + Math.floor(Math.random() * (highest - lowest))
    if (await isFree(port)) return port
  }
  throw new Error('no port is free')
}
