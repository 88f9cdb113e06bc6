// Ports for servers of other programs, which must be told one, and for those that must restart on the same port.
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'

/** Below the kernel's ephemeral ports; an outgoing connection could otherwise take the port while its server is down. */
const [lowest, highest] = [15_000, 32_000]
/** A server may take a while until it listens, so other processes of tests must not choose its port in the meantime. */
const blockPorts = 20
const attempts = 100

async function listenOn(port: number): Promise<Server | undefined> {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
    return server
  } catch {
    return undefined
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = await listenOn(port)
  if (server) await new Promise((resolve) => server.close(resolve))
  return server !== undefined
}

/** Ports of this process that were not given yet. */
const own: number[] = []
let taking: Promise<void> | undefined

/** The first port of a block is in use as long as the process that has the block. */
async function takeBlock(): Promise<void> {
  const first = lowest + blockPorts * Math.floor((Math.random() * (highest - lowest)) / blockPorts)
  const guard = await listenOn(first)
  guard?.unref()
  if (guard) own.push(...Array.from({ length: blockPorts - 1 }, (_, at) => first + 1 + at))
}

/** A free port on loopback, never the same twice, and in no other process of tests. */
export async function lastingPort(): Promise<number> {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const port = own.shift()
    if (port !== undefined) {
      if (await isFree(port)) return port
    } else {
      taking ??= takeBlock().finally(() => {
        taking = undefined
      })
      await taking
    }
  }
  throw new Error('no port is free')
}
