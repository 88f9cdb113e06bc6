// Shared by the tests of deploy/: its files by name, and all of Waymark's settings and metrics.
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { parse, parseAllDocuments } from 'yaml'
import { settings } from '../../src/settings/config.ts'

export const root = path.resolve(import.meta.dirname, '../..')

export const read = (file: string): Promise<string> => readFile(path.join(root, file), 'utf8')

/**
 * A YAML or JSON document.
 * @throws for any fault, including duplicate keys.
 */
export const parsed = (text: string): unknown => parse(text, { strict: true, uniqueKeys: true, merge: true })

/** Parse errors, one sentence each. */
export const faultsOfYaml = (text: string): string[] =>
  parseAllDocuments(text, { strict: true, uniqueKeys: true, merge: true }).flatMap(({ errors }) =>
    errors.map(({ message }) => message),
  )

/** The files in a folder of the repository, as paths from its root. */
export async function filesOf(folder: string): Promise<string[]> {
  const names = await readdir(path.join(root, folder), { recursive: true, withFileTypes: true })
  return names
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .toSorted()
}

const variables = new Set<string>(Object.values(settings).map(({ variable }) => variable))
/** Settings of Node, the AWS SDK and OpenTelemetry. */
const ofOthers = /^(?:NODE_ENV|AWS_[A-Z0-9_]+|OTEL_[A-Z0-9_]+)$/

/** Whether a server, or a library that it loads, reads this variable. */
export const isSetting = (name: string): boolean => variables.has(name) || ofOthers.test(name)

export type Tree = { readonly [Name in string]?: unknown }

export const isTree = (value: unknown): value is Tree =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const treeAt = (value: unknown, ...names: string[]): Tree => {
  let at = value
  for (const name of names) at = isTree(at) ? at[name] : undefined
  return isTree(at) ? at : {}
}

export const listAt = (value: unknown, name: string): readonly unknown[] => {
  const list = isTree(value) ? value[name] : undefined
  return Array.isArray(list) ? list : []
}
