// Checks every response of a running server against its OpenAPI document: status, media type, and the schema of JSON.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Compile } from 'typebox/compile'
import { createPathFinder, withoutReferences, type OpenapiDocument } from './openapi.ts'

/** Of longer bodies, only status and media type are checked. */
const maxBytes = 256 * 1024
const maxBreaches = 20

interface Validator {
  Check(value: unknown): boolean
  Errors(value: unknown): readonly unknown[]
}

/** Compiled schemas by their JSON text, so that each is compiled once per process. */
const validators = new Map<string, Validator>()

function validatorOf(schema: object): Validator {
  const text = JSON.stringify(schema)
  const known = validators.get(text)
  if (known) return known
  const made = Compile(schema)
  validators.set(text, made)
  return made
}

interface Documented {
  readonly document: OpenapiDocument
  readonly pathOf: (address: string) => string | undefined
  readonly validators: Map<object, Validator>
}

/** Documents by the settings they depend on: generating one takes 0.1 s. */
const documents = new Map<string, Documented>()

export interface AnswerWatchOptions {
  readonly server: Server
  /** As the server serves it. */
  readonly document: () => unknown
  /** The same for servers with identical documents. */
  readonly documentKey: string
  readonly publicUrl: string
  /** The test injects faults below the server, so 500 is allowed. */
  readonly mayFail: boolean
}

interface Seen {
  readonly status: number
  readonly mediaType: string
  /** Whether the response has a Location header. */
  readonly isLocated: boolean
  /** Undefined if it was not recorded: too long, or not written through write() or end(). */
  readonly body: string | undefined
}

/** Records what is written to the response itself, since the hot paths respond before Fastify does. */
function capture(response: ServerResponse, onDone: (seen: Seen) => void): void {
  const chunks: Buffer[] = []
  let bytes = 0
  let reported: Readonly<Record<string, string>> = {}
  const keep = (chunk: unknown): void => {
    if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array)) return
    const piece = typeof chunk === 'string' ? Buffer.from(chunk) : Buffer.from(chunk) // a view's buffer may be reused
    bytes += piece.length
    if (bytes <= maxBytes) chunks.push(piece)
  }
  const { writeHead, write, end } = response
  response.writeHead = (...given: unknown[]) => {
    const headers = given.findLast((part) => typeof part === 'object' && part !== null)
    const entries = Array.isArray(headers)
      ? Array.from({ length: headers.length / 2 }, (_, index): [string, unknown] => [
          String(headers[2 * index]),
          headers[2 * index + 1],
        ])
      : Object.entries(headers ?? {})
    reported = Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), String(value)]))
    return Reflect.apply(writeHead, response, given) as ServerResponse
  }
  response.write = (...given: unknown[]) => {
    keep(given[0])
    return Reflect.apply(write, response, given) as boolean
  }
  response.end = (...given: unknown[]) => {
    keep(given[0])
    return Reflect.apply(end, response, given) as ServerResponse
  }
  const header = (name: string): string => reported[name] ?? String(response.getHeader(name) ?? '')
  response.once('finish', () => {
    const isWhole = bytes <= maxBytes && header('content-encoding') === ''
    const [mediaType = ''] = header('content-type').split(';')
    const body = isWhole ? Buffer.concat(chunks).toString() : undefined
    const isLocated = header('location') !== ''
    onDone({ status: response.statusCode, isLocated, mediaType: mediaType.trim().toLowerCase(), body })
  })
}

/** One sentence, or undefined if the response matches the document. */
function breachOf(
  { document, validators: compiled }: Documented,
  path: string,
  method: string,
  { status, mediaType, isLocated, body }: Seen,
): string | undefined {
  const operation = document.paths[path]?.[method === 'HEAD' ? 'get' : method.toLowerCase()]
  if (operation === undefined) return undefined // 405 is not documented
  const reported = `${method} ${path} answered ${status} ${mediaType}`.trim()
  const response = operation.responses[String(status)]
  if (response === undefined) return `${reported}, a status that is not documented`
  if (isLocated !== 'Location' in (response.headers ?? {}))
    return `${reported}, ${isLocated ? 'with a Location that is not documented' : 'without the Location that is documented'}`
  if (method === 'HEAD' || status === 304 || status === 204 || mediaType === '') return undefined
  const content = response.content?.[mediaType]
  if (content === undefined) return `${reported}, a media type that is not documented`
  const isJson = /[/+]json$/.test(mediaType)
  if (!isJson || status === 206 || content.schema === undefined || body === undefined) return undefined
  const validator = compiled.get(content.schema) ?? validatorOf(content.schema)
  compiled.set(content.schema, validator)
  const value: unknown = JSON.parse(body)
  if (validator.Check(value)) return undefined
  return `${reported}, not as documented: ${JSON.stringify(validator.Errors(value).slice(0, 3))} in ${body.slice(0, 300)}`
}

/** @returns a function that reports each violation once. */
export function watchAnswers({
  server,
  document,
  documentKey,
  publicUrl,
  mayFail,
}: AnswerWatchOptions): () => string[] {
  const breaches = new Set<string>()
  let known = documents.get(documentKey)

  function documented(): Documented {
    if (known) return known
    const resolved = withoutReferences(document())
    const mountPath = new URL(publicUrl).pathname.replace(/\/$/, '')
    known = { document: resolved, pathOf: createPathFinder(resolved, mountPath), validators: new Map() }
    documents.set(documentKey, known)
    return known
  }

  server.prependListener(
    'request',
    ({ method = '', url = '' }: IncomingMessage, response: ServerResponse) => {
      if (method === 'OPTIONS') return
      capture(response, (seen) => {
        if (mayFail && seen.status === 500) return
        const here = documented()
        const path = here.pathOf(url)
        const breach = path === undefined ? undefined : breachOf(here, path, method, seen)
        if (breach !== undefined && breaches.size < maxBreaches) breaches.add(breach)
      })
    },
  )
  return () => [...breaches]
}
