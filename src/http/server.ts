// The Fastify instance: addresses, limits, logs and hooks; the endpoints come from the features.
import fastify, { LogController, type FastifyBaseLogger, type FastifyInstance } from 'fastify'
import { canonicalPath, notAnId } from '../shared/classic/classic-paths.ts'
import { createConnections, type Connections } from './connections/connections.ts'
import type { Front } from './answers/front.ts'
import type { ServerLimits } from './limits.ts'
import { createMeasuredBodies } from './measured-bodies.ts'
import { registerLargeBodies } from './bodies/large-bodies.ts'
import { registerRefusals } from './refusals.ts'
import { tagPublicDocuments } from './representation.ts'
import { lineForLog } from './logs/redact.ts'
import { logRequests } from './logs/request-log.ts'
import { createRouteIndex } from './route-index.ts'
import { registerSafety, type SafetyDependencies } from './safety.ts'
import { securityHeaders } from './security-headers.ts'
import type { Site } from '../site/site.ts'
import type { Traffic } from './connections/traffic.ts'
import { createUnreadable, type Unreadable } from './connections/unreadable.ts'

export interface ServerDependencies extends Omit<SafetyDependencies, 'index' | 'connections' | 'identities'> {
  readonly limits: ServerLimits
  /** For answers that have a Content-Length and are too long for memory. */
  readonly spoolFolder: string
  readonly trustProxy: readonly string[]
  /** Frames the pages that people see. */
  readonly site: Site
  /** Begins to read how the site looks where that may have changed. No request waits for it: health has to answer without a database. */
  readonly noticeBrand: () => void
  /** Answers what is in memory, ahead of everything here. */
  readonly front: Front
  readonly nextRequestId: () => string
  /** Is told of every request and connection. */
  readonly traffic: Traffic
  readonly log: FastifyBaseLogger
  /** Writes a finished line to the log; undefined where there is none. */
  readonly writeLine: Logger['stream']['writeLine'] | undefined
}

function isDecodable(segment: string): boolean {
  try {
    decodeURIComponent(segment)
    return true
  } catch {
    return false
  }
}

/** A segment with a broken escape names nothing (C4); left in, it would be the router that refuses, past every hook. */
function withoutBrokenEscapes(path: string): string {
  if (!path.includes('%')) return path
  const segments = path.split('/')
  return segments.map((segment) => (isDecodable(segment) ? segment : notAnId)).join('/')
}

/** Takes the mount path of PUBLIC_URL off, whether or not a proxy did. */
function withoutMount(mountPath: string) {
  return (path: string): string => {
    const isMounted = mountPath !== '' && (path === mountPath || path.startsWith(`${mountPath}/`))
    return isMounted ? path.slice(mountPath.length) || '/' : path
  }
}

/** Takes the mount path off, then puts classic paths in their one form (C1). */
function rewriteUrl(innerPath: (path: string) => string) {
  return (address = '/'): string => {
    // A request may name the whole address (RFC 9112, section 3.2.2).
    const target = address.replace(/^https?:\/\/[^/?]*/i, '')
    const url = target.startsWith('/') ? target : `/${target}`
    const end = url.indexOf('?')
    const query = end < 0 ? '' : url.slice(end)
    const path = end < 0 ? url : url.slice(0, end)
    return withoutBrokenEscapes(canonicalPath(innerPath(path))) + query
  }
}

/** Log lines to a stream; what is in them is decided in request-log.ts and redact.ts, so that nothing secret is. */
export function loggerTo(stream: { write(line: string): void; flush?(): void }, level: string) {
  const write = (line: string): void => stream.write(lineForLog(line))
  // pino asks for it with a fatal line, after which the process may not come to write anything.
  const flushSync = (): void => stream.flush?.()
  const writeLine = (line: string): void => stream.write(line)
  return { level, stream: { write, flushSync, writeLine }, base: null }
}

export type Logger = ReturnType<typeof loggerTo>

/** How late the timeouts of the parser may come. */
const maxLatenessMs = 2_000

function timeouts(limits: ServerLimits) {
  const headersMs = limits.headersTimeoutSeconds * 1_000
  const wholeSeconds = [
    limits.headersTimeoutSeconds,
    limits.requestTimeoutSeconds,
    limits.uploadTimeoutSeconds,
  ]
  return {
    // Fastify's own timeouts are off by default: a slow client would hold a connection for ever.
    requestTimeout: Math.max(...wholeSeconds) * 1_000, // the outer net; incoming.ts is stricter with most requests
    connectionTimeout: limits.idleSeconds * 1_000, // a reader that takes nothing for so long is cut off, its file closed
    keepAliveTimeout: limits.keepAliveSeconds * 1_000,
    http: {
      headersTimeout: headersMs,
      connectionsCheckingInterval: Math.min(maxLatenessMs, headersMs / 4),
      // The parser counts the address, too; request-sanity.ts tells them apart.
      maxHeaderSize: limits.maxHeaderBytes + limits.maxUrlBytes,
      requireHostHeader: false, // Node would answer with an empty body; request-sanity.ts does in our words
      optimizeEmptyRequests: true, // a request without a body needs no stream to read it from: a tenth of a small answer's cost
    },
  }
}

export async function createServer(dependencies: ServerDependencies): Promise<FastifyInstance> {
  const { publicUrl, trustProxy, log, writeLine, traffic, limits, rateLimits, front } = dependencies
  const innerPath = withoutMount(new URL(publicUrl).pathname.replace(/\/$/, ''))
  const rewrite = rewriteUrl(innerPath)
  const connections: Connections = createConnections({
    limits,
    answerRaw: (socket, refusal) => unreadable.answer(socket, refusal),
  })
  const app = fastify({
    loggerInstance: log,
    ...timeouts(limits),
    logController: new LogController({ disableRequestLogging: true }), // ours, one line each, is in request-log.ts
    trustProxy: trustProxy.length > 0 ? [...trustProxy] : false,
    genReqId: dependencies.nextRequestId,
    requestIdHeader: false, // an id from outside could forge log lines
    rewriteUrl: ({ url }) => rewrite(url),
    // No address is as long as that: the router refuses past every hook, and so past the log; safety.ts does it instead.
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 64 * 1024 },
    forceCloseConnections: 'idle',
    return503OnClosing: false, // safety.ts does
    clientErrorHandler: (error, socket) => unreadable.onClientError(error, socket),
    frameworkErrors: (error, request, reply) => {
      void reply.headers(securityHeaders(dependencies)) // no hook has run
      app.errorHandler(error, request, reply)
    },
  })
  app.decorate('limits', limits)
  app.decorate('measuredBodies', createMeasuredBodies({ folder: dependencies.spoolFolder }))
  registerLargeBodies(app)
  connections.watch(app.server, front.take)
  app.addHook('preClose', async () => {
    front.stop()
    const endHurry = connections.hurry()
    app.server.once('close', endHurry)
  })

  // Bodies are read by the endpoints, after the checks that must come first (C31), and as a stream where they are large.
  // So Fastify must not look at one: it would refuse a Content-Type that is none before it knows whether the path exists.
  app.removeAllContentTypeParsers()
  app.addHook('onReady', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY'])
      app.addHttpMethod(method, { hasBody: false, overrideExisting: true })
  })
  // Schemas document; endpoints check by themselves, in their turn, and in our words.
  app.setValidatorCompiler(() => () => true)
  app.setSerializerCompiler(() => (value) => JSON.stringify(value))

  traffic.watch(app)
  front.watch(app)
  app.addHook('onRequest', (_request, _reply, done) => {
    dependencies.noticeBrand()
    done()
  })
  if (writeLine !== undefined) logRequests(traffic, log, writeLine)
  const index = createRouteIndex(app)
  const unreadable: Unreadable = createUnreadable({
    publicUrl,
    hstsSubdomains: dependencies.hstsSubdomains,
    limits,
    connections,
    rateLimits,
    index,
    rewrite,
    log,
    onAnswer: ({ code }) => traffic.tellUnreadable(code),
  })
  app.server.on('connect', unreadable.onConnect)
  registerRefusals(app, { publicUrl, index, site: dependencies.site })
  await registerSafety(app, {
    ...dependencies,
    index,
    connections,
    identities: front.identities,
  })
  tagPublicDocuments(app)
  front.learnFrom(app)
  return app
}
