// A request of one documented operation: valid according to the document, or with one fault.
import { uint8Array } from 'fast-check'
import type { OpenapiDocument, Operation } from '../../../helpers/openapi.ts'
import { mutated, valueOf, type Chance, type Schema } from './values.ts'
import type { Caller, Pictures, World } from './world.ts'

interface Parameter {
  readonly in: string
  readonly name: string
  readonly required?: boolean
  readonly schema?: Schema
}

interface Documented extends Operation {
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: {
    readonly required?: boolean
    readonly content: Readonly<Record<string, { readonly schema?: Schema }>>
  }
}

export interface Endpoint {
  readonly method: string
  readonly path: string
  readonly operation: Documented
}

export const endpointsIn = (document: OpenapiDocument): readonly Endpoint[] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )

export interface FuzzRequest {
  readonly method: string
  readonly path: string
  readonly headers: Record<string, string>
  readonly body: Uint8Array | string | undefined
  /** Has no deliberate fault. */
  readonly isValid: boolean
  readonly mediaType: string
}

const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('\r', '&#13;')

function xmlOf(value: unknown, name: string): string {
  if (typeof value !== 'object' || value === null)
    return `<${name}>${escapeXml(typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value))}</${name}>`
  const inner = Array.isArray(value)
    ? value.map((item) => xmlOf(item, name.replace(/^ArrayOf/, '')))
    : Object.entries(value)
        .filter(([field]) => /^[A-Za-z_]\w*$/.test(field))
        .map(([field, content]) => xmlOf(content, field))
  return `<${name}>${inner.join('')}</${name}>`
}

const formType = 'application/x-www-form-urlencoded'
const formats = ['application/json', 'application/xml'] as const

/** Determined by the seed. */
const boundary = 'waymark-fuzz-boundary'

interface Part {
  readonly name: string
  readonly type: string
  readonly bytes: Uint8Array
  readonly isFile: boolean
}

function multipartOf(parts: readonly Part[]): Buffer {
  return Buffer.concat([
    ...parts.flatMap(({ name, type, bytes, isFile }) => [
      Buffer.from(
        `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${isFile ? `; filename="${name}"` : ''}\r\nContent-Type: ${type}\r\n\r\n`,
      ),
      bytes,
      Buffer.from('\r\n'),
    ]),
    Buffer.from(`--${boundary}--\r\n`),
  ])
}

export function createRequests(pictures: Pictures) {
  /** An image of this type, with trailing bytes to make it distinct. */
  function fileOf(type: string, chance: Chance): Uint8Array {
    const files = pictures[type] ?? pictures['image/jpeg'] ?? []
    const file = chance.from(files)
    return /^image\/(jpeg|png|gif)$/.test(type)
      ? Buffer.concat([file, Buffer.from(String(chance.below(1e6)))])
      : file
  }

  function partsOf(schema: Schema, chance: Chance): Part[] {
    const value = valueOf(schema, chance) as Record<string, unknown>
    return Object.keys(value).flatMap((name): Part[] => {
      const inner = schema.properties?.[name] || {}
      const binary = inner.type === 'array' ? inner.items : inner
      if (binary?.format !== 'binary')
        return [
          { name, type: 'application/json', bytes: Buffer.from(JSON.stringify(value[name])), isFile: false },
        ]
      const type = inner.type === 'array' ? 'application/gpx+xml' : 'image/jpeg'
      const count = Array.isArray(value[name]) ? value[name].length : 1
      return Array.from({ length: count }, () => ({ name, type, bytes: fileOf(type, chance), isFile: true }))
    })
  }

  function bodyOf({ operation }: Endpoint, isMutated: boolean, chance: Chance) {
    const { requestBody } = operation
    if (requestBody === undefined) return { body: undefined, type: undefined }
    if (requestBody.required !== true && chance.once(4)) return { body: undefined, type: undefined }
    const type = chance.from(Object.keys(requestBody.content))
    // curl's form type says nothing about the body, which is as with one of the other types.
    const format =
      type === formType && 'application/json' in requestBody.content ? chance.from(formats) : type
    const schema = requestBody.content[format]?.schema ?? {}
    if (type === 'multipart/form-data')
      return { body: multipartOf(partsOf(schema, chance)), type: `${type}; boundary=${boundary}` }
    if (schema.format === 'binary' || type === 'text/csv') return { body: fileOf(type, chance), type }
    const valid = valueOf(schema, chance)
    const value = isMutated ? mutated(valid, chance) : valid
    if (format === 'application/xml' || format === 'text/xml') {
      const { xml } = schema as { xml?: { name?: string } }
      return { body: xmlOf(value, xml?.name ?? 'x'), type }
    }
    return { body: JSON.stringify(value), type }
  }

  function credentialOf({ operation }: Endpoint, caller: Caller, chance: Chance) {
    const ways = operation.security ?? []
    const [scheme] = ways.length === 0 ? [] : Object.keys(chance.from(ways))
    switch (scheme) {
      case 'oauth':
        return { headers: caller.bearer, query: '' }
      case 'session':
        return { headers: caller.session, query: '' }
      case 'apiKeyInHeader':
        return { headers: { 'x-api-key': caller.apiKey }, query: '' }
      case 'apiKeyInQuery':
        return { headers: {}, query: `api_key=${caller.apiKey}` }
      case 'pageOfThisSite':
        return { headers: { 'x-waymark-page': '1' }, query: '' }
      case undefined:
      default:
        return { headers: {}, query: '' }
    }
  }

  /** Values from earlier pages cannot be generated. */
  const opaque: ReadonlySet<string> = new Set(['cursor', 'api_key', 'Last-Event-ID'])

  function wrongBody(body: Uint8Array | string | undefined, chance: Chance): Uint8Array | string | undefined {
    const bytes = Buffer.from(body ?? '')
    switch (chance.below(5)) {
      case 0:
        return bytes.subarray(0, chance.below(bytes.length + 1))
      case 1:
        return ''
      case 2:
        return Buffer.from(chance.of(uint8Array({ maxLength: 200 })))
      case 3:
        return Buffer.concat([bytes, bytes])
      default:
        return bytes.length === 0
          ? 'x'
          : bytes.fill(chance.below(256), chance.below(bytes.length), chance.below(bytes.length) + 1)
    }
  }

  /** @param fault the deliberate fault, if any. */
  return (endpoint: Endpoint, world: World, chance: Chance): FuzzRequest => {
    const { method, path, operation } = endpoint
    const fault = chance.once(2)
      ? undefined
      : chance.from(['value', 'value', 'value', 'body', 'type', 'query', 'path', 'accept'] as const)
    const caller = chance.from(world.callers)
    const isOwn = path.includes('{acctID}') && !path.includes('/admin/') && !chance.once(5)
    const nameOf = (name: string): string => {
      if (fault === 'path' && chance.once(2))
        return encodeURIComponent(
          chance.from(['0', '-1', '9007199254740993', 'x', 'ü', '1e3', '../..', '%', '1;2']),
        )
      if (name === 'acctID' && isOwn) return String(caller.accountId)
      const pool = world.things[name]
      const { schema } = operation.parameters?.find((one) => one.in === 'path' && one.name === name) ?? {}
      if (pool === undefined || chance.once(10) || schema?.enum)
        return encodeURIComponent(String(valueOf(schema ?? {}, chance)))
      return encodeURIComponent(String(chance.from(pool)))
    }
    const address = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => nameOf(name))
    const query = new URLSearchParams()
    const headers: Record<string, string> = {}
    for (const { in: place, name, required = false, schema = {} } of operation.parameters ?? []) {
      if (place === 'path' || opaque.has(name) || !(required || chance.once(3))) continue
      const value = fault === 'query' && chance.once(2) ? mutated('', chance) : valueOf(schema, chance)
      const text = typeof value === 'string' ? value : JSON.stringify(value)
      if (place === 'query') query.append(name, text.isWellFormed() ? text.slice(0, 2_000) : 'x')
      if (place === 'header' && /^[ -~]*$/.test(text)) headers[name] = text.trim()
      if (fault === 'query' && chance.once(4) && place === 'query')
        query.append(name, text.isWellFormed() ? text.slice(0, 100) : 'y')
    }
    if (fault === 'query' && chance.once(3))
      query.append(
        chance.from(['cursor', 'limit', 'bbox', 'since', 'x']),
        chance.from(['', '0', '-1', 'x', '1,2,3', 'MTIz']),
      )
    const credential = credentialOf(endpoint, caller, chance)
    const { body: made, type } = bodyOf(endpoint, fault === 'value', chance)
    const body = fault === 'body' && method !== 'GET' ? wrongBody(made, chance) : made
    const sentType =
      fault === 'type'
        ? chance.from([
            'text/plain',
            '',
            'application/json; charset=utf-16',
            'multipart/form-data',
            'x',
            'application/x-www-form-urlencoded',
          ])
        : type
    const search = [query.toString(), credential.query].filter((part) => part !== '').join('&')
    return {
      method,
      path: search === '' ? address : `${address}?${search}`,
      headers: {
        ...headers,
        ...credential.headers,
        ...(sentType === undefined || sentType === '' ? {} : { 'content-type': sentType }),
        ...(fault === 'accept'
          ? { accept: chance.from(['text/html', '*', 'x/y', 'application/xml', 'application/json;q=0']) }
          : {}),
      },
      body,
      isValid: fault === undefined,
      mediaType: type ?? '',
    }
  }
}
