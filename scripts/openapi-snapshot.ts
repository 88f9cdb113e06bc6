// The committed OpenAPI documents: docs/openapi.json is current, docs/openapi.released.json is that of the last release.
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '..')

export const snapshotFile = 'docs/openapi.json'
export const releasedFile = 'docs/openapi.released.json'
/** What the released document omitted although the released server enforced it (decision 0132). */
export const correctionsFile = 'docs/openapi.corrections.json'

const methodOrder = ['get', 'post', 'put', 'patch', 'delete']

const byText = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number =>
  one < other ? -1 : 1
const byMethod = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number =>
  methodOrder.indexOf(one) - methodOrder.indexOf(other)

const maxLineLength = 400

/** JSON with short values on one line: a changed field changes one line, and the file is half as long. */
function written(value: unknown, indent = ''): string {
  const inOneLine = JSON.stringify(value)
  if (typeof value !== 'object' || value === null || indent.length + inOneLine.length <= maxLineLength)
    return inOneLine
  const inner = `${indent} `
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  const parts = Array.isArray(value)
    ? value.map((item) => written(item, inner))
    : Object.entries(value).map(([name, part]) => `${JSON.stringify(name)}:${written(part, inner)}`)
  return `${open}\n${parts.map((part) => inner + part).join(',\n')}\n${indent}${close}`
}

/** Paths are sorted, so that reordering lines of app.ts changes nothing. */
export function snapshotText(document: object): string {
  const { paths = {}, ...rest } = document as { paths?: Record<string, object> }
  const ordered = Object.entries(paths)
    .toSorted(byText)
    .map(([name, methods]) => [name, Object.fromEntries(Object.entries(methods).toSorted(byMethod))])
  return `${written({ ...rest, paths: Object.fromEntries(ordered) as object })}\n`
}

export async function readSnapshot(file: string): Promise<unknown> {
  return JSON.parse(await readFile(path.join(root, file), 'utf8'))
}

/** Makes the current document the released one. Only done for a release. */
export async function markReleased(): Promise<void> {
  await writeFile(path.join(root, releasedFile), await readFile(path.join(root, snapshotFile)))
  await writeFile(path.join(root, correctionsFile), '[]\n')
}
