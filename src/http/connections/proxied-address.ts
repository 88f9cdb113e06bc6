// The address that a request comes from: that of the connection, or what a trusted proxy says of it (setting TRUST_PROXY).
import type { IncomingMessage } from 'node:http'
import proxyAddr from '@fastify/proxy-addr'

/** @returns whether a request came by a proxy that is trusted, whose word counts for more than an address. */
export function createIsFromProxy(trustProxy: readonly string[]): (request: IncomingMessage) => boolean {
  if (trustProxy.length === 0) return () => false
  const isTrusted = proxyAddr.compile([...trustProxy])
  return ({ socket: { remoteAddress } }) => remoteAddress !== undefined && isTrusted(remoteAddress, 0)
}

/** @returns what Fastify's `request.ip` tells, by the same package, for requests that never reach Fastify. */
export function createAddressOf(trustProxy: readonly string[]): (request: IncomingMessage) => string {
  if (trustProxy.length === 0) return ({ socket }) => socket.remoteAddress ?? ''
  const isTrusted = proxyAddr.compile([...trustProxy])
  return (request) => {
    // Of a connection that is gone it is undefined, whatever its type says.
    const address: string | undefined = proxyAddr(request, isTrusted)
    return address ?? ''
  }
}
