// A small TCP proxy on loopback that simulates a bad network or a failing server.
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

export interface Trouble {
  /** Accepts connections but forwards nothing, like dropped packets. */
  readonly isSilent?: boolean
  /** Refuses connections, and closes existing ones. */
  readonly isRefusing?: boolean
  /** Delays each chunk of a response. */
  readonly delayMs?: number
  /** Closes each connection after this many response bytes. */
  readonly cutAfterBytes?: number
  /** Answers each request with this HTTP response instead of forwarding it. */
  readonly answer?: string
}

/** Observes one connection. */
export interface Tap {
  readonly sent: (bytes: Buffer) => void
  readonly answered: (bytes: Buffer) => void
}

export interface TcpProxy {
  readonly port: number
  /** Connections accepted since the start. */
  connections(): number
  /** Takes effect immediately, including on open connections. */
  trouble(trouble: Trouble): void
  heal(): void
  /** Forwards to another port, like a virtual IP address that moves. Existing connections are cut. */
  pointTo(port: number): void
  end(): Promise<void>
}

/**
 * Resets a connection unless it has already sent FIN: Node would then lose the handle, and the event loop would never
 * stop.
 */
function cut(socket: Socket): void {
  if (socket.writableEnded || socket.readableEnded || socket.destroyed) socket.destroy()
  else socket.resetAndDestroy()
}

/** Stop it with `end`. */
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
      // Existing connections have no HTTP parser here. Cut them, so that the next request opens a new one.
      if (trouble.answer !== undefined) for (const socket of open) socket.destroy()
    },
    heal: () => {
      const wasSilent = now.isSilent
      now = {}
      // Dropped data never arrives later: as with a cut cable, existing connections are dead.
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
