// A small TCP proxy on loopback that does to whoever is behind it what a bad network or a sick server does.
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

export interface Trouble {
  /** Takes connections and passes nothing on, as where packets are dropped. */
  readonly isSilent?: boolean
  /** Takes no connection, and ends those there are. */
  readonly isRefusing?: boolean
  /** Each piece on its way back is so late. */
  readonly delayMs?: number
  /** Of each connection so many bytes come back, and then its end. */
  readonly cutAfterBytes?: number
  /** Instead of asking anybody, answers each request with this, as HTTP. */
  readonly answer?: string
}

/** Hears what passes on one connection. */
export interface Tap {
  readonly sent: (bytes: Buffer) => void
  readonly answered: (bytes: Buffer) => void
}

export interface TcpProxy {
  readonly port: number
  /** Connections taken since the start. */
  connections(): number
  /** From now on, for connections that are open too. */
  trouble(trouble: Trouble): void
  heal(): void
  /** From now on to another port, as a virtual address that moves: the connections of before are dead. */
  pointTo(port: number): void
  end(): Promise<void>
}

/** A reset, but for a socket that has said its last: Node then loses the handle, and the loop spins on it for ever. */
function cut(socket: Socket): void {
  if (socket.writableEnded || socket.readableEnded || socket.destroyed) socket.destroy()
  else socket.resetAndDestroy()
}

/** Ends with `end`; the connections it makes are to the one address. */
export async function startTcpProxy(target: {
  readonly port: number
  readonly host?: string
  /** Called for each connection. */
  readonly tap?: () => Tap
}): Promise<TcpProxy> {
  const { host = '127.0.0.1' } = target
  let targetPort = target.port
  const open = new Set<Socket>()
  let now: Trouble = {}
  let taken = 0

  function follow(socket: Socket): void {
    open.add(socket)
    socket.on('close', () => open.delete(socket))
    socket.on('error', () => socket.destroy())
  }

  function passOn(near: Socket): void {
    const far = connect({ port: targetPort, host })
    follow(far)
    let back = 0
    const tap = target.tap?.()
    if (tap) {
      near.on('data', tap.sent)
      far.on('data', tap.answered)
    }
    near.on('data', (bytes: Buffer) => {
      if (now.isSilent !== true) far.write(bytes)
    })
    far.on('data', (bytes: Buffer) => {
      const { isSilent, delayMs = 0, cutAfterBytes } = now
      if (isSilent) return
      const chunk = cutAfterBytes === undefined ? bytes : bytes.subarray(0, Math.max(0, cutAfterBytes - back))
      back += bytes.length
      const send = (): void => {
        if (chunk.length > 0) near.write(chunk)
        if (chunk.length < bytes.length) near.end()
      }
      if (delayMs > 0) setTimeout(send, delayMs)
      else send()
    })
    near.on('end', () => far.end())
    far.on('end', () => {
      const { delayMs = 0 } = now
      setTimeout(() => near.end(), delayMs)
    })
    near.on('close', () => far.destroy())
    far.on('close', () => {
      if (now.delayMs === undefined) near.destroySoon()
    })
  }

  const server = createServer({ allowHalfOpen: true }, (near) => {
    taken += 1
    follow(near)
    const { isRefusing, answer } = now
    if (isRefusing) cut(near)
    else if (answer === undefined) passOn(near)
    else near.once('data', () => near.end(answer))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')

  return {
    port: (server.address() as AddressInfo).port,
    connections: () => taken,
    trouble: (trouble) => {
      now = trouble
      if (trouble.isRefusing) for (const socket of open) cut(socket)
      // Connections that were made before keep to nobody: the next request makes a new one, which is answered so.
      if (trouble.answer !== undefined) for (const socket of open) socket.destroy()
    },
    heal: () => {
      const wasSilent = now.isSilent
      now = {}
      // What was dropped never comes again: as with a cut cable, the connections of before are dead.
      if (wasSilent) for (const socket of open) cut(socket)
    },
    pointTo: (port) => {
      targetPort = port
      for (const socket of open) cut(socket)
    },
    end: async () => {
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
