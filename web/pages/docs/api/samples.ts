// An operation as a curl command and as an SDK call, with the values typed in or examples.
import type { CodeSample } from '../guide-list.ts'
import type { NamedOperation } from './api-document.ts'
import { exampleOf } from './example.ts'
import { sdkCalls } from './sdk-calls.ts'

export interface Filled {
  /** By `place name`, such as `query limit`. */
  readonly values: Readonly<Record<string, string>>
  readonly body: string
}

const usualIds: Readonly<Record<string, string>> = {
  trailID: '4711',
  acctID: '42',
  z: '12',
  x: '2136',
  y: '1447',
}

export const usualValue = (name: string): string => usualIds[name] ?? (name.endsWith('ID') ? '1' : name)

/** Path and query; missing values become examples in the path, and are omitted from the query. */
export function addressFor(
  { path, parameters = [] }: NamedOperation,
  { values }: Pick<Filled, 'values'>,
): string {
  const whole = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) =>
    encodeURIComponent(values[`path ${name}`] || usualValue(name)),
  )
  const query = new URLSearchParams(
    parameters
      .filter((parameter) => parameter.in === 'query')
      .flatMap(({ name }) => {
        const value = values[`query ${name}`] ?? ''
        return value === '' ? [] : [[name, value]]
      }),
  ).toString()
  return query === '' ? whole : `${whole}?${query}`
}

/** The initial body of the form. */
export function firstBody({ requestBody }: NamedOperation): string {
  const json = requestBody?.content['application/json']
  return json ? JSON.stringify(exampleOf(json.schema), undefined, 2) : ''
}

/** The strongest credential that a program can have for it. */
function credentialOf({ security = [] }: NamedOperation): string {
  const ways = new Set(security.flatMap((way) => Object.keys(way)))
  if (ways.has('apiKeyInHeader')) return '-H "X-API-Key: $KEY"'
  if (ways.has('oauth')) return '-H "Authorization: Bearer $TOKEN"'
  return ways.has('session') ? '-b "$SESSION_COOKIE" -H "X-Waymark-Page: 1"' : ''
}

/** In single quotes, a shell takes everything literally except a single quote. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

function bodyOf(operation: NamedOperation, body: string): string[] {
  const types = Object.keys(operation.requestBody?.content ?? {})
  if (types.length === 0) return []
  if (types.includes('application/json'))
    return ["-H 'Content-Type: application/json'", `-d ${quoted(body || firstBody(operation))}`]
  if (types.includes('multipart/form-data')) return ['-F file=@photo.jpg']
  return [`-H 'Content-Type: ${types[0]}'`, `--data-binary @file`]
}

export function curlFor(operation: NamedOperation, filled: Filled, serverUrl: string): string {
  const { method, parameters = [] } = operation
  const headers = parameters
    .filter((parameter) => parameter.in === 'header')
    .flatMap(({ name }) => {
      const value = filled.values[`header ${name}`] ?? ''
      return value === '' ? [] : [`-H ${quoted(`${name}: ${value}`)}`]
    })
  const parts = [
    ...(method === 'GET' ? [] : [`-X ${method}`]),
    credentialOf(operation),
    ...headers,
    ...bodyOf(operation, filled.body),
    quoted(serverUrl + addressFor(operation, filled)),
  ]
  return `curl ${parts.filter((part) => part !== '').join(' \\\n  ')}`
}

export function sdkFor(operation: NamedOperation, serverUrl: string): string {
  const { security = [], operationId } = operation
  const ways = new Set(security.flatMap((way) => Object.keys(way)))
  const isForSessions = ways.has('session') && !ways.has('oauth') && !ways.has('apiKeyInHeader')
  const credential = ways.has('apiKeyInHeader')
    ? "\n  credential: { apiKey: 'YOUR_KEY' },"
    : isForSessions
      ? "\n  credential: 'session', // a page of this very site"
      : ways.has('oauth')
        ? "\n  credential: { bearer: 'YOUR_TOKEN' },"
        : ''
  return [
    "import { createWaymark } from '@waymark/client'",
    '',
    `const waymark = createWaymark({\n  baseUrl: '${serverUrl}',${credential}\n})`,
    '',
    `const answer = await waymark.${sdkCalls[operationId] ?? `request('${operation.method}', '${operation.path}')`}`,
  ].join('\n')
}

export const samplesFor = (
  operation: NamedOperation,
  filled: Filled,
  serverUrl: string,
): readonly CodeSample[] => [
  { label: 'curl', text: curlFor(operation, filled, serverUrl) },
  { label: 'SDK', text: sdkFor(operation, serverUrl) },
]
