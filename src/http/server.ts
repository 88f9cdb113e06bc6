// The Fastify instance: addresses, limits, logs and hooks; the endpoints come from the features.
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import fastify, { LogController, type FastifyInstance, type FastifyServerOptions } from 'fastify'
import { canonicalPath, notAnId } from '../contract/classic-paths.ts'
import { answerClientError, registerRefusals } from './refusals.ts'
import { createRouteIndex } from './route-index.ts'
import { registerSafety, type SafetyDependencies } from './safety.ts'

export interface ServerDependencies extends Omit<SafetyDependencies, 'index'> {
  readonly trustProxy: readonly string[]
  /** Where log lines go; undefined for none. */
  readonly logger: FastifyServerOptions['logger']
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

/** Takes the mount path of PUBLIC_URL off, whether or not a proxy did, then puts classic paths in their one form (C1). */
function rewriteUrl(mountPath: string) {
  return (request: IncomingMessage): string => {
    // A request may name the whole address (RFC 9112, section 3.2.2).
    const target = (request.url ?? '/').replace(/^https?:\/\/[^/?]*/i, '')
    const url = target.startsWith('/') ? target : `/${target}`
    const end = url.indexOf('?')
    const query = end < 0 ? '' : url.slice(end)
    const path = end < 0 ? url : url.slice(0, end)
    const isMounted = mountPath !== '' && (path === mountPath || path.startsWith(`${mountPath}/`))
    const inner = isMounted ? path.slice(mountPath.length) || '/' : path
    return withoutBrokenEscapes(canonicalPath(inner)) + query
  }
}

/** Log lines to a stream; what is in them is decided below, so that nothing secret is. */
export function loggerTo(
  stream: { write(line: string): void },
  level: string,
): FastifyServerOptions['logger'] {
  return { level, stream, base: null }
}

/** A key in the wrong place, such as after `&` where `?` should stand, is a key all the same. */
const withoutSecrets = (path: string): string => path.replaceAll(/wms?_[\w-]{8,}/g, 'wm_…')

/** One line a request. Never the query: it may hold an API key. Never a header: it may hold a token. */
function logRequests(app: FastifyInstance): void {
  app.addHook('onResponse', async (request, reply) => {
    request.log.info(
      {
        method: request.method,
        path: withoutSecrets(request.url.split('?')[0] ?? ''),
        status: reply.statusCode,
        milliseconds: Math.round(reply.elapsedTime * 10) / 10,
        address: request.ip,
      },
      'request',
    )
  })
}

export async function createServer(dependencies: ServerDependencies): Promise<FastifyInstance> {
  const { publicUrl, trustProxy, logger } = dependencies
  const mountPath = new URL(publicUrl).pathname.replace(/\/$/, '')
  const app = fastify({
    ...(logger === undefined ? {} : { logger }),
    logController: new LogController({ disableRequestLogging: true }), // ours, one line each, is below
    trustProxy: trustProxy.length > 0 ? [...trustProxy] : false,
    genReqId: () => randomUUID(),
    requestIdHeader: false, // an id from outside could forge log lines
    rewriteUrl: rewriteUrl(mountPath),
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 8 * 1024 },
    // Fastify's own timeouts are off by default: a slow client would hold a connection for ever.
    requestTimeout: 120_000, // an upload of 8 MB at 70 KB/s
    connectionTimeout: 60_000, // a reader that takes nothing for so long is cut off, and its file is closed
    keepAliveTimeout: 5_000,
    // Node would refuse a request without Host by itself, with an empty body; safety.ts does it in our words.
    http: {
      headersTimeout: 10_000,
      connectionsCheckingInterval: 2_000, // how late these two may come
      maxHeaderSize: 16 * 1024,
      requireHostHeader: false,
    },
    forceCloseConnections: 'idle',
    return503OnClosing: false, // safety.ts does
    clientErrorHandler: (error, socket) => answerClientError(error, socket, publicUrl),
    frameworkErrors: (error, request, reply) => {
      app.errorHandler(error, request, reply)
    },
  })

  // Node would refuse an Expect other than 100-continue with an empty 417; it may be ignored (RFC 9110, section 10.1.1).
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))

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

  logRequests(app)
  const index = createRouteIndex(app)
  registerRefusals(app, publicUrl, index)
  await registerSafety(app, { ...dependencies, index })
  return app
}
