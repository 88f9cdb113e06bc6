// Every operation of the service has an SDK function: each is called, and its request is checked against
// docs/openapi.json.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Compile } from 'typebox/compile'
import document from '../../docs/openapi.json' with { type: 'json' }
import { createWaymark } from '../../client/client.ts'
import { createPathFinder, withoutReferences, type Operation } from '../helpers/openapi.ts'
import { callEverything } from './call-everything.ts'

interface DocumentedOperation extends Operation {
  readonly parameters?: readonly { readonly in: string; readonly name: string; readonly required?: boolean }[]
  readonly requestBody?: { readonly content: Record<string, { readonly schema?: object }> }
}

/** Expressed differently: the header Last-Event-ID takes precedence over `since`. */
const saidOtherwise: ReadonlySet<string> = new Set(['GET /v2/events ?since'])

const documented = withoutReferences(document)
const pathOf = createPathFinder(documented, '')

interface Sent {
  readonly method: string
  readonly url: URL
  readonly path: string | undefined
  readonly headers: Headers
  readonly body: unknown
}

const operationOf = ({ method, path }: Pick<Sent, 'method' | 'path'>): DocumentedOperation | undefined =>
  path === undefined ? undefined : documented.paths[path]?.[method.toLowerCase()]

/** Responses that let every function finish: empty, complete sets, and one trail with the requested slug. */
function answerTo({ url }: Sent): Response {
  if (url.pathname.endsWith('/events'))
    return new Response('', { headers: { 'content-type': 'text/event-stream' } })
  const items = url.searchParams.has('slug') ? [{ trailID: 1, slug: url.searchParams.get('slug') }] : []
  return Response.json({ items, next: null, position: 0, access_token: 'token' })
}

async function record(): Promise<Sent[]> {
  const sent: Sent[] = []
  const waymark = createWaymark({
    baseUrl: 'https://trails.example/',
    credential: { bearer: 'token' },
    fetch: async (address, init) => {
      const url = new URL(address)
      const request = {
        method: init.method ?? 'GET',
        url,
        path: pathOf(url.pathname),
        headers: new Headers(init.headers),
        body: init.body,
      }
      sent.push(request)
      return answerTo(request)
    },
  })
  await callEverything(waymark)
  return sent
}

/** Parts of the request that the document does not contain. */
async function oddities(request: Sent): Promise<string[]> {
  const { method, url, headers, body } = request
  const name = `${method} ${url.pathname}`
  const operation = operationOf(request)
  if (operation === undefined) return [`${name} is no operation of the service`]
  const parameters = new Map(
    (operation.parameters ?? []).map((parameter) => [`${parameter.in} ${parameter.name}`, parameter]),
  )
  const odd = [...url.searchParams.keys()]
    .filter((query) => !parameters.has(`query ${query}`))
    .map((query) => `${name} has no parameter ${query}`)
  const content = operation.requestBody?.content ?? {}
  if (body === undefined || body === null)
    return Object.keys(content).length > 0 ? [...odd, `${name} takes a body`] : odd
  const type =
    headers.get('content-type')?.split(';')[0] ?? (body instanceof FormData ? 'multipart/form-data' : '')
  if (!(type in content)) return [...odd, `${name} takes no ${type}`]
  const schema = content[type]?.schema
  if (type !== 'application/json' || schema === undefined) return odd
  assert.ok(typeof body === 'string', name)
  return Compile(schema).Check(JSON.parse(body)) ? odd : [...odd, `${name} takes no ${body}`]
}

void test('every operation can be called, with every parameter of its query', async () => {
  const sent = await record()
  const called = new Map<string, Set<string>>()
  for (const { method, path, url } of sent) {
    const key = `${method} ${path}`
    const parameters = called.get(key) ?? new Set()
    for (const parameter of url.searchParams.keys()) parameters.add(parameter)
    called.set(key, parameters)
  }
  const missing = Object.entries(documented.paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, operation]) => {
      const key = `${method.toUpperCase()} ${path}`
      const parameters = called.get(key)
      if (parameters === undefined) return [key]
      return (operation.parameters ?? [])
        .filter((parameter) => parameter.in === 'query' && !parameters.has(parameter.name))
        .map((parameter) => `${key} ?${parameter.name}`)
        .filter((parameter) => !saidOtherwise.has(parameter))
    }),
  )
  assert.deepEqual(missing, [], 'operations and parameters without a function of client/')
})

void test('what is sent matches the document', async () => {
  const sent = await record()
  assert.ok(sent.length > 90, `only ${sent.length} requests`)
  assert.deepEqual((await Promise.all(sent.map(oddities))).flat(), [])
})
