// GET /v2/me/takeout: everything stored about an account, as a download at the speed of its reader.
import { PassThrough } from 'node:stream'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { accountOf, permit } from '../auth/guard.ts'
import { refuse } from '../errors.ts'
import { inEach } from '../texts/texts.ts'
import { releaseOnceSent } from '../http/bodies/release-memory.ts'
import { v2Operation } from '../http/openapi/openapi.ts'
import { secretly } from '../http/representation.ts'
import type { Sink } from '../storage/zip/zip-writer.ts'
import { dataExportName, type DataExport } from './data-export.ts'

export interface DataExportEndpointDependencies {
  readonly dataExport: DataExport
  readonly now: () => number
}

const retryAfterSeconds = '30'

/** A stream, and a writer that is no faster than its reader; if the stream is closed, writing ends. */
function createOutlet() {
  const stream = new PassThrough()
  const gone = new AbortController()
  let giveUp = (): void => undefined
  stream.once('close', () => {
    gone.abort(new Error('the client closed the connection'))
    giveUp() // a write to a closed stream gets no callback
  })
  const sink: Sink = (bytes) =>
    new Promise((resolve, reject) => {
      giveUp = () => reject(gone.signal.reason as Error)
      stream.write(bytes, (error) => (error ? reject(error) : resolve()))
    })
  return { stream, sink, signal: gone.signal }
}

export function registerDataExport(
  app: FastifyInstance,
  { dataExport, now }: DataExportEndpointDependencies,
) {
  let isClosing = false
  /** By account: a second one at once would only take disk bandwidth from the first. */
  const underWay = new Map<number, { readonly stream: PassThrough; readonly work: Promise<void> }>()

  function begin(accountId: number, log: FastifyBaseLogger): PassThrough {
    const { stream, sink, signal } = createOutlet()
    const write = async (): Promise<void> => {
      try {
        const report = await dataExport.write(accountId, { sink, signal })
        stream.end()
        log.info({ accountId, ...report }, 'data exported')
      } catch (error) {
        if (!signal.aborted) log.error({ err: error, accountId }, 'a data export failed')
        stream.destroy(error instanceof Error ? error : undefined)
      } finally {
        underWay.delete(accountId)
      }
    }
    // Registered before its first step.
    const started = Promise.withResolvers<void>()
    const work = started.promise.then(write)
    underWay.set(accountId, { stream, work })
    started.resolve()
    return stream
  }

  const operation = v2Operation({
    summary: 'Export all data of your account',
    description:
      'A zip with README.txt, account.json, images.json, routes.json, the original photos and GPX files. Requires a browser session; one export at a time. Each part is read when it is written.',
    refusals: ['forbidden', 'too-many-requests'],
  })
  const { 204: _, ...problems } = operation.response as Record<string, object>
  const file = {
    description: 'The zip.',
    content: { 'application/zip': { schema: { type: 'string', format: 'binary' } } },
  }

  app.get(
    '/v2/me/takeout',
    {
      config: { access: { credential: 'bearer', action: 'view-own-account' } },
      schema: { ...operation, response: { 200: file, ...problems } },
    },
    async (request, reply) => {
      permit(request.actor, 'view-own-account')
      const { accountId } = accountOf(request.actor)
      if (isClosing) throw refuse('busy', { headers: { 'Retry-After': retryAfterSeconds } })
      const isHead = request.method === 'HEAD'
      if (underWay.has(accountId) && !isHead) {
        throw refuse('too-many-requests', {
          detail: inEach(({ limits }) => limits.dataExport),
          headers: { 'Retry-After': retryAfterSeconds },
        })
      }
      void secretly(reply)
        .header('Content-Type', 'application/zip')
        .header('Content-Disposition', `attachment; filename="${dataExportName(accountId, now())}"`)
      if (isHead) return reply.send()
      releaseOnceSent(reply.raw)
      return reply.send(begin(accountId, request.log))
    },
  )

  return {
    /** How many are in progress. */
    underWay: (): number => underWay.size,

    /** Aborts those in progress, and waits until they no longer read anything. */
    close: async (): Promise<void> => {
      isClosing = true
      const all = [...underWay.values()]
      for (const { stream } of all) stream.destroy()
      await Promise.all(all.map(({ work }) => work))
    },
  }
}

export type DataExportEndpoint = ReturnType<typeof registerDataExport>
