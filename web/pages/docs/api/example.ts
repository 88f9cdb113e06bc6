// Generates an example for a schema, as a starting point.
import type { Schema } from './api-document.ts'

const maxDeep = 6

const known: Readonly<Record<string, unknown>> = {
  'date-time': '2026-05-14T09:08:07Z',
  uri: 'https://trails.example/',
  email: 'ada@trails.example',
}

const typeOf = ({ type, properties, items }: Schema): string | undefined => {
  const types = [type ?? []].flat()
  const named = types.find((name) => name !== 'null') ?? types[0]
  return named ?? (properties ? 'object' : items ? 'array' : undefined)
}

/** For objects: required fields, and optional ones that are informative; limited in depth. */
export function exampleOf(schema: Schema | undefined, depth = 0): unknown {
  if (schema === undefined || depth > maxDeep) return null
  if (schema.const !== undefined) return schema.const
  if (schema.default !== undefined) return schema.default
  if (schema.enum) return schema.enum[0]
  const [first] = schema.anyOf ?? schema.oneOf ?? []
  if (first)
    return exampleOf((schema.anyOf ?? schema.oneOf)?.find(({ type }) => type !== 'null') ?? first, depth)
  switch (typeOf(schema)) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([name, inner]) => [name, exampleOf(inner, depth + 1)]),
      )
    case 'array':
      return [exampleOf(schema.items, depth + 1)]
    case 'integer':
    case 'number':
      return schema.minimum ?? 1
    case 'boolean':
      return false
    case 'null':
      return null
    case 'string':
      return known[schema.format ?? ''] ?? 'text'
    case undefined:
    default:
      return {}
  }
}
