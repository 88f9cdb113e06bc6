// The client address of a request: that of the connection, or what a trusted proxy reports (setting TRUST_PROXY).
import type { IncomingMessage } from 'node:http'
import proxyAddr from '@fastify/proxy-addr'

/** @returns whether a request came through a trusted proxy, whose other headers count too. */
export function createIsFromProxy(trustProxy: readonly string[]): (request: IncomingMessage) => boolean {
  if (trustProxy.length === 0) return () => false
  const isTrusted = proxyAddr.compile([...trustProxy])
  return ({ socket: { remoteAddress } }) => remoteAddress !== undefined && isTrusted(remoteAddress, 0)
}

/** @returns what Fastify's `request.ip` would be, by the same package, for requests that never reach Fastify. */
export function createAddressOf(trustProxy: readonly string[]): (request: IncomingMessage) => string {
  if (trustProxy.length === 0) return ({ socket }) => socket.remoteAddress ?? ''
  const isTrusted = proxyAddr.compile([...trustProxy])
  return (request) => {
    // Undefined for a closed connection, whatever its type says.
    const address: string | undefined = proxyAddr(request, isTrusted)
    return address ?? ''
  }
}
