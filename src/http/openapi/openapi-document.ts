// What the whole OpenAPI document says once instead of hundreds of times, and what every reading endpoint answers.

interface Answer {
  readonly description?: string
  readonly content?: Readonly<Record<string, object>>
}

interface Described {
  readonly paths?: object
  readonly components?: { readonly schemas?: object; readonly responses?: object }
}

interface Parameter {
  readonly name: string
}

interface Operation {
  parameters?: readonly Parameter[]
  responses?: Record<string, Answer>
  requestBody?: { content?: Record<string, { schema?: { required?: readonly string[] } }> }
}

type Paths = Record<string, Record<string, Operation>>

const operationsOf = ({ paths = {} }: Described): Operation[] =>
  Object.values(paths as Paths).flatMap((methods) => Object.values(methods))

const inOrder = <Value>(entries: Iterable<readonly [string, Value]>): Record<string, Value> =>
  Object.fromEntries([...entries].toSorted(([one], [other]) => (one < other ? -1 : 1)))

/** Of every text that a body may hold: the characters that XML 1.0 forbids are refused in both formats (C8). */
export const plainText = String.raw`^[^\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]*$`
/** Of every text in a query. */
export const queryText = String.raw`^[^\x00]*$`

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether a schema takes any text: nothing that it says itself leaves out characters. */
const isFreeText = (schema: Record<string, unknown>): boolean =>
  [schema['type']].flat().includes('string') &&
  !['enum', 'const', 'format', 'pattern'].some((name) => name in schema)

/** The titles of the schemas inside a value: each is one component, wherever it stands. */
function* titlesIn(value: unknown): Generator<string, void> {
  if (Array.isArray(value)) for (const item of value) yield* titlesIn(item)
  if (!isObject(value)) return
  if (typeof value['title'] === 'string') yield value['title']
  for (const inner of Object.values(value)) yield* titlesIn(inner)
}

function withPattern(value: unknown, pattern: string): unknown {
  if (Array.isArray(value)) return value.map((item) => withPattern(item, pattern))
  if (!isObject(value)) return value
  const inner = Object.entries(value).map(([name, part]) => [name, withPattern(part, pattern)] as const)
  return Object.fromEntries(isFreeText(value) ? [...inner, ['pattern', pattern]] : inner)
}

/** Merges the rules that are for the document only (shared/v2/openapi-rules.ts) into their schemas. */
export function mergeOpenapiRules<Document extends Described>(document: Document): Document {
  function merge(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(merge)
    if (!isObject(value)) return value
    const { 'x-openapi-only': rule, ...whole } = value
    const merged = isObject(rule) ? { ...whole, ...rule } : whole
    return Object.fromEntries(
      Object.entries(merged).flatMap(([name, part]) => (part === undefined ? [] : [[name, merge(part)]])),
    )
  }
  return { ...document, paths: merge(document.paths) }
}

/** Says of every text that is sent which characters it may hold. */
export function stateCharacters<Document extends Described>(document: Document): Document {
  const bodies = operationsOf(document).flatMap(({ requestBody }) => requestBody ?? [])
  const titles = new Set(titlesIn(bodies))
  function state(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(state)
    if (!isObject(value)) return value
    const { title, requestBody, in: place, schema } = value
    if (typeof title === 'string' && titles.has(title)) return withPattern(value, plainText)
    if (place === 'query') return { ...value, schema: withPattern(schema, queryText) }
    const inner = Object.fromEntries(Object.entries(value).map(([name, part]) => [name, state(part)]))
    return requestBody === undefined ? inner : { ...inner, requestBody: withPattern(requestBody, plainText) }
  }
  return { ...document, paths: state(document.paths) }
}

/** Every schema with a title becomes a component of that name, and a reference wherever it stood. */
export function shareSchemas<Document extends Described>(document: Document): Document {
  const schemas = new Map<string, unknown>()
  function share(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(share)
    if (typeof value !== 'object' || value === null) return value
    const whole = Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, share(inner)]))
    const { title, ...shared } = whole
    if (typeof title !== 'string') return whole // none, or a field of that name
    const known = schemas.get(title)
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(shared))
      throw new Error(`two schemas have the title ${title}`)
    schemas.set(title, shared)
    return { $ref: `#/components/schemas/${title}` }
  }
  const paths = share(document.paths)
  const { components } = document
  return {
    ...document,
    paths,
    components: { ...components, schemas: { ...components?.schemas, ...inOrder(schemas) } },
  }
}

/** `Forbidden (forbidden); …` → the codes that set it apart, of which no two answers have the same; else its status. */
function nameOf(status: string, description: string, common: ReadonlySet<string>): string {
  const inBrackets = description.split('(').map((text) => text.split(')', 1)[0] ?? '')
  const codes = inBrackets.filter((text, at) => at > 0 && /^[a-z0-9-]+$/.test(text) && !common.has(text))
  return codes.join('.') || status
}

/**
 * Every problem refers to the one that has its codes: written out each time, they would be most of the document.
 * @param common codes that every operation has; no name needs them.
 */
export function shareProblems<Document extends Described>(
  document: Document,
  common: ReadonlySet<string>,
): Document {
  const responses = new Map<string, Answer>()
  for (const { responses: answers = {} } of operationsOf(document))
    for (const [status, answer] of Object.entries(answers)) {
      const { description = '', content = {} } = answer
      if (!('application/problem+json' in content)) continue
      const name = nameOf(status, description, common)
      responses.set(name, answer)
      Object.assign(answers, { [status]: { $ref: `#/components/responses/${name}` } })
    }
  const { components } = document
  return {
    ...document,
    components: { ...components, responses: { ...components?.responses, ...inOrder(responses) } },
  }
}

/** A parameter that several operations have becomes a component of its name; a second of that name has `.2` behind it. */
export function shareParameters<Document extends Described>(document: Document): Document {
  const all = operationsOf(document).flatMap(({ parameters = [] }) => parameters)
  const byText = Map.groupBy(all, (parameter) => JSON.stringify(parameter))
  const shared = new Map<string, Parameter>()
  const references = new Map<string, object>()
  for (const [text, [parameter, ...others]] of byText) {
    if (parameter === undefined || others.length === 0) continue
    const namesakes = [...shared.values()].filter(({ name }) => name === parameter.name).length
    const component = namesakes === 0 ? parameter.name : `${parameter.name}.${namesakes + 1}`
    shared.set(component, parameter)
    references.set(text, { $ref: `#/components/parameters/${component}` })
  }
  for (const operation of operationsOf(document))
    if (operation.parameters)
      Object.assign(operation, {
        parameters: operation.parameters.map(
          (parameter) => references.get(JSON.stringify(parameter)) ?? parameter,
        ),
      })
  const { components } = document
  return { ...document, components: { ...components, parameters: inOrder(shared) } }
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
    const [content] = Object.values(operation?.requestBody?.content ?? {})
    if (operation?.requestBody && content?.schema && !content.schema.required?.length)
      Object.assign(operation.requestBody, { required: false })
  }
  return document
}
