// Puts the authorization server and its discovery documents on Fastify (contract D5).
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AccessStatement } from '../guard.ts'
import {
  authorizationServerMetadata,
  openidConfiguration,
  protectedResourceMetadata,
} from './oauth-metadata.ts'
import { endpoints, type Endpoint } from './oauth-offer.ts'
import type { OauthServer } from './oauth-server.ts'

/** The provider checks the credentials of these endpoints, which are a client's and not an actor's. */
const access = { credential: 'open' } as const satisfies AccessStatement

const metadataCaching = 'public, max-age=3600'

/** Defaults, unless a hook has set them; the provider may override them. */
const standardHeaders = {
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
}

/**
 * A hijacked reply does not send the headers that hooks have set, so they are copied to the raw response. CORS is the
 * exception: only the provider knows which origins may read a response, because it depends on the client.
 */
function carryHeaders(reply: FastifyReply): void {
  for (const [name, value] of Object.entries({ ...standardHeaders, ...reply.getHeaders() })) {
    if (value !== undefined && !name.toLowerCase().startsWith('access-control-'))
      reply.raw.setHeader(name, value)
  }
}

/** Receives internal errors of a request that the provider answers itself. */
export type NoteFailure = (request: FastifyRequest, error: unknown) => void

function registerProvider(app: FastifyInstance, server: OauthServer, noteFailure: NoteFailure): void {
  // Runs before Fastify reads the body: the provider reads it itself, and warns if it was already read.
  const onRequest = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    carryHeaders(reply)
    reply.hijack()
    await server.handle({
      request: request.raw,
      response: reply.raw,
      address: request.ip,
      onFault: (error) => noteFailure(request, error),
    })
  }
  const handler = (): never => {
    throw new Error('The provider has answered before a handler could run.')
  }
  const all: readonly Endpoint[] = Object.values(endpoints)
  for (const { path, methods } of all) {
    app.route({ method: [...methods], url: path, config: { access, rate: 'token' }, onRequest, handler })
  }
}

/** If the issuer has a path, RFC 8414 and RFC 9728 look for it after the well-known name, on the bare host. */
function wellKnown(name: string, publicUrl: string): string[] {
  const publicPath = new URL(publicUrl).pathname.replace(/\/$/, '')
  const plain = `/.well-known/${name}`
  return publicPath === '' ? [plain] : [plain, plain + publicPath]
}

function registerMetadata(app: FastifyInstance, { publicUrl }: OauthServer): void {
  const documents = {
    'oauth-authorization-server': authorizationServerMetadata(publicUrl),
    'openid-configuration': openidConfiguration(publicUrl),
    'oauth-protected-resource': protectedResourceMetadata(publicUrl),
  }
  for (const [name, document] of Object.entries(documents)) {
    for (const url of wellKnown(name, publicUrl)) {
      app.get(url, { config: { access } }, async (_request, reply) =>
        reply.header('Cache-Control', metadataCaching).send(document),
      )
    }
  }
}

export function registerOauthEndpoints(
  app: FastifyInstance,
  server: OauthServer,
  noteFailure: NoteFailure,
): void {
  registerProvider(app, server, noteFailure)
  registerMetadata(app, server)
}
