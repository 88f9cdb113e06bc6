// The OpenAPI document for tests: resolves references, and maps requests to operations.
import { canonicalPath } from '../../src/shared/classic/classic-paths.ts'

export interface MediaContent {
  readonly schema?: object
}

export interface Operation {
  readonly security?: readonly Record<string, readonly string[]>[]
  readonly parameters?: readonly { readonly in: string; readonly name: string; readonly required?: boolean }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, MediaContent>> }
  readonly responses: Record<
    string,
    {
      readonly description?: string
      readonly headers?: object
      readonly content?: Record<string, MediaContent>
    }
  >
}

export interface OpenapiDocument {
  readonly openapi: string
  readonly paths: Record<string, Record<string, Operation>>
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

/** Resolves a reference such as `#/components/schemas/Problem`. */
function at(document: unknown, reference: string): unknown {
  return reference
    .replace(/^#\//, '')
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((value, part) => (isObject(value) ? value[part] : undefined), document)
}

/** Replaces `default` by the statuses it covers, so that no other status counts as documented. */
function spellDefaults({ paths }: OpenapiDocument): void {
  for (const { responses } of Object.values(paths).flatMap((methods) => Object.values(methods))) {
    const { default: reported } = responses
    if (reported === undefined) continue
    for (const [status] of reported.description?.matchAll(/\b\d{3}\b/g) ?? []) responses[status] ??= reported
    delete responses['default']
  }
}

/** The document with all references and `default` statuses expanded, for validators that take a single schema. */
export function withoutReferences(document: unknown): OpenapiDocument {
  const resolved = new Map<string, unknown>()
  function resolve(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(resolve)
    if (!isObject(value)) return value
    const { $ref: reference } = value
    if (typeof reference !== 'string')
      return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, resolve(inner)]))
    if (!resolved.has(reference)) resolved.set(reference, resolve(at(document, reference)))
    return resolved.get(reference)
  }
  const whole = resolve(document) as OpenapiDocument
  spellDefaults(whole)
  return whole
}

/** The document of a running server, with references resolved. */
export async function servedDocument({
  fetch,
}: {
  readonly fetch: (path: string) => Promise<Response>
}): Promise<OpenapiDocument> {
  return withoutReferences(await (await fetch('/openapi.json')).json())
}

interface Template {
  readonly path: string
  readonly pattern: RegExp
  /** If two paths match, the one with fewer parameters and more literal segments wins. */
  readonly weight: number
}

function templateOf(path: string): Template {
  const parts = path.split(/(\{\w+\})/)
  const pattern = parts
    .map((part) => (part.startsWith('{') ? '[^/]+' : part.replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`)))
    .join('')
  const words = parts.filter((part) => !part.startsWith('{')).join('')
  return { path, pattern: new RegExp(`^${pattern}$`), weight: words.length - parts.length }
}

/** @returns a function from a request URL to its documented path; undefined if there is none. */
export function createPathFinder({ paths }: OpenapiDocument, mountPath: string) {
  const templates = Object.keys(paths)
    .map(templateOf)
    .toSorted((one, other) => other.weight - one.weight)
  return (address: string): string | undefined => {
    const [sent = ''] = address.replace(/^https?:\/\/[^/?]*/i, '').split('?')
    const inner = mountPath !== '' && sent.startsWith(`${mountPath}/`) ? sent.slice(mountPath.length) : sent
    const path = canonicalPath(inner).replace(/(?<=.)\/$/, '')
    return templates.find(({ pattern }) => pattern.test(path))?.path
  }
}
