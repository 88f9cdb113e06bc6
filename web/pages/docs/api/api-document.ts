// The OpenAPI document for the reference page: operations in groups, references resolved, and their metadata.

export interface Schema {
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly title?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly xml?: { readonly name?: string }
}

export interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
  readonly schema?: Schema
}

type Content = Readonly<Record<string, { readonly schema?: Schema }>>

export interface Reply {
  readonly description?: string
  readonly content?: Content
}

export interface Operation {
  readonly operationId: string
  readonly tags?: readonly string[]
  readonly summary?: string
  readonly description?: string
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly required?: boolean; readonly content: Content }
  readonly responses: Readonly<Record<string, Reply>>
}

export interface ApiDocument {
  readonly info: { readonly title: string; readonly version: string }
  readonly servers?: readonly { readonly url: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components?: unknown
}

export interface NamedOperation extends Operation {
  /** `GET` */
  readonly method: string
  readonly path: string
  readonly group: string
}

/** By path prefix, the first match. */
const groups: readonly (readonly [string, RegExp])[] = [
  ['Site and terms', /^\/v2\/(site|terms)/],
  ['Trails', /^\/v2\/trails(\.|$|\/\{trailID\}(\.|$|\/profile))/],
  ['Photos', /^\/v2\/(trails\/\{trailID\}\/images|images(?!.*\/(review|undo|history|reports))|trash)/],
  ['Review', /^\/v2\/(review|images\/\{imageID\})/],
  ['Routes', /^\/v2\/(accounts|routes|me\/zones)/],
  ['Own account', /^\/v2\/me/],
  ['Events and webhooks', /^\/v2\/(changes|events|webhooks)/],
  ['Map tiles', /^\/v2\/tiles/],
  ['Administration', /^\/v2\/admin/],
  ['Classic: photos', /^\/(Trails|ImageHandler)/],
  ['Classic: routes', /^\/Accounts/],
]

export const groupOf = (path: string): string => groups.find(([, form]) => form.test(path))?.[0] ?? 'Others'

export interface Group {
  readonly name: string
  readonly operations: readonly NamedOperation[]
}

export function operationsOf({ paths }: ApiDocument): NamedOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) =>
      Object.assign({ method: method.toUpperCase(), path, group: groupOf(path) }, operation),
    ),
  )
}

/** In the order of the groups; within each in the order of the document. */
export function groupsOf(operations: readonly NamedOperation[]): Group[] {
  const byName = Map.groupBy(operations, ({ group }) => group)
  return [...groups.map(([name]) => name), 'Others'].flatMap((name) => {
    const found = byName.get(name)
    return found ? [{ name, operations: found }] : []
  })
}

/** Every word must occur in method, path, summary or group. */
export function searchOperations(operations: readonly NamedOperation[], sought: string): NamedOperation[] {
  const strings = sought
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  return operations.filter(({ method, path, summary = '', group, operationId }) => {
    const text = `${method} ${path} ${summary} ${group} ${operationId}`.toLowerCase()
    return strings.every((word) => text.includes(word))
  })
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

/** The document with references resolved; a schema is named after its component. */
export function withoutReferences(document: ApiDocument): ApiDocument {
  const known = new Map<string, unknown>()
  function resolve(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(resolve)
    if (!isObject(value)) return value
    const { $ref: reference } = value
    if (typeof reference !== 'string')
      return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, resolve(inner)]))
    if (!known.has(reference)) known.set(reference, resolve(componentOf(reference)))
    return known.get(reference)
  }
  function componentOf(reference: string): unknown {
    const parts = reference.replace(/^#\//, '').split('/')
    const found = parts.reduce<unknown>((at, part) => (isObject(at) ? at[part] : undefined), document)
    return parts.at(-2) === 'schemas' && isObject(found) ? { title: parts.at(-1), ...found } : found
  }
  return { ...document, paths: resolve(document.paths) as ApiDocument['paths'] }
}

interface NamedRefusal {
  readonly status: string
  readonly title: string
  readonly code: string
}

/**
 * The refusals in a description such as `Forbidden (forbidden); Busy (busy)`; in `default` each is preceded by its
 * status.
 */
export const refusalsIn = (description: string | undefined, status: string): NamedRefusal[] =>
  (description ?? '').split('; ').flatMap((part) => {
    const [, own = status, title = '', code = ''] = /^(?:(\d{3}) )?(.*) \(([a-z0-9-]+)\)$/.exec(part) ?? []
    return code === '' ? [] : [{ status: own, title, code }]
  })
