// Every endpoint × caller × owner of the resource → status, as in the committed table matrix.txt. Run this file to
// regenerate the table.
import { readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { addressOf, endpointsOf } from '../../helpers/endpoints.ts'
import { makeTinyApp } from '../../helpers/tiny-app.ts'
import type { Waymark } from '../../helpers/waymark.ts'
import { startWaymark } from '../../helpers/waymark.ts'
import { actors, preparePeople, type ActorName, type Caller, type People } from './matrix-people.ts'
import { thingsOf, variantsOf, type Things, type Variant } from './matrix-things.ts'

export const matrixFile = path.join(import.meta.dirname, 'matrix.txt')

export interface Row {
  readonly method: string
  readonly pattern: string
  readonly variant: Variant
}

const isPage = (pattern: string): boolean => !/^\/(v2|Trails|Accounts|ImageHandler|oauth\/[^i])/.test(pattern)

/**
 * A request that passes authorisation but no further, so that it changes nothing: a body type that no endpoint accepts,
 * or a form without a field. For DELETE, which has no body, the resource is created first.
 */
function requestFor({ method, pattern }: Row, headers: Record<string, string>): RequestInit {
  const base = { accept: isPage(pattern) ? 'text/html' : 'application/json', ...headers }
  if (method === 'GET' || method === 'DELETE') return { method, redirect: 'manual', headers: base }
  const isForm = isPage(pattern) || pattern.startsWith('/oauth/')
  const type = isForm ? 'application/x-www-form-urlencoded' : 'text/plain'
  return { method, redirect: 'manual', headers: { ...base, 'content-type': type }, body: 'x=1' }
}

export function rowsOf(waymark: Waymark): Row[] {
  return endpointsOf(waymark.app.server)
    .flatMap(({ pattern, methods }) =>
      methods
        .filter((method) => method !== 'HEAD')
        .flatMap((method) => variantsOf(pattern).map((variant) => ({ method, pattern, variant }))),
    )
    .toSorted((one, other) => (labelOf(one) < labelOf(other) ? -1 : 1))
}

/** The request of a row by a caller, with these resources. */
export function fetchOf(row: Row, things: Things, { headers }: Pick<Caller, 'headers'>) {
  const address = addressOf({ pattern: row.pattern, methods: [] }, things)
  const query = row.pattern === '/ImageHandler' ? `?id=${String(things['imageID'])}` : ''
  return { address: address + query, init: requestFor(row, headers) }
}

async function cell(waymark: Waymark, people: People, row: Row, name: ActorName): Promise<string> {
  const caller = await people.as(name)
  const things = await thingsOf(waymark, people, row.variant, caller.accountId ?? people.member)
  const { address, init } = fetchOf(row, things, caller)
  const answer = await fetch(waymark.url + address, init)
  await answer.arrayBuffer()
  return String(answer.status)
}

const labelWidth = 70

export function labelOf({ method, pattern, variant }: Row): string {
  return `${pattern}  ${method}${variant === '' ? '' : `  ${variant}`}`
}

const legend = `# Who may ask what: the status that each gets. Rewritten by "node tests/auth/matrix/matrix.ts", and by nothing else.
#
# The requests get through authorisation and are then refused for their form, so 415 or 400 means: was let in.
# Pages take forms from pages of this site only (403 for everybody else). Every column is one kind of caller:
#
${Object.entries(actors)
  .map(([name, words]) => `#   ${name.padEnd(5)} ${words}`)
  .join('\n')}
#
# own: of the caller's account (of the member's, for callers without one); other: of another account.
# on, off: on a trail that the limited reviewer reviews, and on one of other trails.
`

const headerOf = (names: ActorNames): string =>
  `${''.padEnd(labelWidth)}${names.map((name) => name.padEnd(5)).join('')}`.trimEnd()

/** The table with these columns: one line per row; a blank line and the column names before each group. */
export async function describeMatrix(names: ActorNames): Promise<string[]> {
  const webFolder = await makeTinyApp()
  const waymark = await startWaymark({ webFolder, environment: { WEB_APP: 'on' } })
  try {
    const people = await preparePeople(waymark)
    const lines: string[] = []
    let group: string | undefined
    for (const row of rowsOf(waymark)) {
      const [, first = '', second = ''] = row.pattern.split('/')
      const here = first === 'v2' ? `v2/${second}` : first
      if (here !== group) lines.push('', headerOf(names))
      group = here
      const cells: string[] = []
      for (const name of names) cells.push(await cell(waymark, people, row, name))
      lines.push(
        `${labelOf(row).padEnd(labelWidth)}${cells.map((text) => text.padEnd(5)).join('')}`.trimEnd(),
      )
    }
    return lines
  } finally {
    await waymark.close()
    await rm(webFolder, { recursive: true })
  }
}

export type ActorNames = readonly ActorName[]

export const everyActor = Object.keys(actors) as ActorName[]

/** The committed table, reduced to these columns. */
export async function committedMatrix(names: ActorNames): Promise<string[]> {
  const lines = (await readFile(matrixFile, 'utf8')).split('\n').filter((line) => !line.startsWith('#'))
  const columns = names.map((name) => labelWidth + 5 * everyActor.indexOf(name))
  return lines
    .slice(0, -1)
    .map((line) =>
      line === ''
        ? ''
        : `${line.slice(0, labelWidth).padEnd(labelWidth)}${columns.map((at) => line.slice(at, at + 5).padEnd(5)).join('')}`.trimEnd(),
    )
}

if (import.meta.main) {
  const lines = await describeMatrix(everyActor)
  await writeFile(matrixFile, `${legend}${lines.join('\n')}\n`)
}
