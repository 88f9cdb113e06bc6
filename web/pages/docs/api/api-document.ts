// The OpenAPI document as the reference reads it: operations in groups, references resolved, and what each says of itself.

export interface Schema {
  readonly $ref?: string
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
  readonly $ref?: string
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

/** By the beginning of the path, the first that fits. */
const groups: readonly (readonly [string, RegExp])[] = [
  ['Site and terms', /^\/v2\/(site|terms)/],
  ['Trails', /^\/v2\/trails(\.|$|\/\{trailID\}$)/],
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

/** In the order of the groups; each in the order of the document. */
export function groupsOf(operations: readonly NamedOperation[]): Group[] {
  const byName = Map.groupBy(operations, ({ group }) => group)
  return [...groups.map(([name]) => name), 'Others'].flatMap((name) => {
    const found = byName.get(name)
    return found ? [{ name, operations: found }] : []
  })
}

/** Every word must be in method, path, summary or group. */
export function searchOperations(operations: readonly NamedOperation[], sought: string): NamedOperation[] {
  const words = sought
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  return operations.filter(({ method, path, summary = '', group, operationId }) => {
    const text = `${method} ${path} ${summary} ${group} ${operationId}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
}

/** What a reference such as `#/components/schemas/Problem` stands for; what is none stands for itself. */
export function resolve<Value extends { readonly $ref?: string }>(
  document: ApiDocument,
  value: Value,
): Value {
  if (value.$ref === undefined) return value
  const found = value.$ref
    .replace(/^#\//, '')
    .split('/')
    .reduce<unknown>(
      (at, part) =>
        typeof at === 'object' && at !== null ? (at as Readonly<Record<string, unknown>>)[part] : undefined,
      document,
    )
  return (found ?? {}) as Value
}

/** The code of each refusal in a description such as `Forbidden (forbidden); Busy (busy)`. */
export const refusalsIn = (description = ''): { readonly title: string; readonly code: string }[] =>
  description.split('; ').flatMap((part) => {
    const [, title = '', code = ''] = /^(.*) \(([a-z0-9-]+)\)$/.exec(part) ?? []
    return code === '' ? [] : [{ title, code }]
  })
