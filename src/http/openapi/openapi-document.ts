// What the whole OpenAPI document says once instead of hundreds of times, and what every reading endpoint answers.
import { Problem } from '../../shared/v2/schemas.ts'

interface Answer {
  readonly description?: string
  readonly content?: Readonly<Record<string, object>>
}

interface Described {
  readonly paths?: object
  readonly components?: { readonly schemas?: object; readonly responses?: object }
}

interface Operation {
  responses?: Record<string, Answer>
  requestBody?: { content?: Record<string, { schema?: { required?: readonly string[] } }> }
}

type Paths = Record<string, Record<string, Operation>>

const schema = { $ref: '#/components/schemas/Problem' }
const content = { 'application/problem+json': { schema }, 'application/problem+xml': { schema } }

/** `Too Many Requests (too-many-requests); …` → its codes, of which no two answers have the same. */
function nameOf(description: string): string {
  const inBrackets = description.split('(').map((text) => text.split(')', 1)[0] ?? '')
  return inBrackets.filter((text, at) => at > 0 && /^[a-z0-9-]+$/.test(text)).join('.')
}

/** Every problem refers to the one that has its codes: written out each time, they would be nine tenths of the document. */
export function shareProblem<Document extends Described>(document: Document): Document {
  const responses: Record<string, Answer> = {}
  for (const methods of Object.values((document.paths ?? {}) as Paths))
    for (const { responses: answers = {} } of Object.values(methods))
      for (const [status, { description = '', content: given = {} }] of Object.entries(answers)) {
        if (!('application/problem+json' in given)) continue
        const name = nameOf(description)
        responses[name] = { description, content }
        Object.assign(answers, { [status]: { $ref: `#/components/responses/${name}` } })
      }
  const { components } = document
  const named = Object.fromEntries(
    Object.entries(responses).toSorted(([one], [other]) => (one < other ? -1 : 1)),
  )
  return {
    ...document,
    components: {
      ...components,
      schemas: { ...components?.schemas, Problem },
      responses: { ...components?.responses, ...named },
    },
  }
}

/** The answers of an endpoint with the one that every reading endpoint has besides: its representations have tags (C39). */
export function withNotModified(method: string | readonly string[], response: unknown): unknown {
  const isReading = [method].flat().every((name) => name === 'GET' || name === 'HEAD')
  const answers = response as Record<string, object> | undefined
  if (!isReading || answers === undefined || !('200' in answers) || '304' in answers) return response
  return { ...answers, 304: { description: 'Unchanged (If-None-Match).', type: 'null' } }
}

/** `GET /v2/trails/{trailID}/images` → `getV2TrailsTrailIDImages`. */
export function operationIdOf(method: string, path: string): string {
  const words = path.split(/[/.-]/).map((part) => part.replaceAll(/[{}]/g, ''))
  return words.reduce((id, word) => id + word.charAt(0).toUpperCase() + word.slice(1), method.toLowerCase())
}

/** Names each operation, for links to it and for generators of clients. */
export function nameOperations<Document extends Described>(document: Document): Document {
  for (const [path, methods] of Object.entries((document.paths ?? {}) as Paths))
    for (const [method, operation] of Object.entries(methods))
      Object.assign(operation, { operationId: operationIdOf(method, path) })
  return document
}

/** A DELETE may come without the body whose every field may be left out; the plugin says of any body that it must come. */
export function freeBodies<Document extends Described>(document: Document): Document {
  for (const { delete: operation } of Object.values((document.paths ?? {}) as Paths)) {
    const [told] = Object.values(operation?.requestBody?.content ?? {})
    if (operation?.requestBody && told?.schema && !told.schema.required?.length)
      Object.assign(operation.requestBody, { required: false })
  }
  return document
}
