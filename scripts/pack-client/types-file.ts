// client/types.ts as published: all document types are declared, so users need neither TypeBox nor the schemas.
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { createDeclarations } from './schema-text.ts'

/** An `export type` statement with the comment before it. */
interface Statement {
  readonly comment: string
  readonly name: string
  readonly parameters: string
  readonly value: string
}

function statementsIn(text: string): Statement[] {
  const found = text.matchAll(
    /^(\/\*\*[^\n]*\*\/\n)?export type (\w+)(<\w+>)? =\s+([\s\S]*?)\n(?=\n|export |\/\*\*|$(?![\s\S]))/gm,
  )
  return [...found].map(([, comment = '', name = '', parameters = '', value = '']) => ({
    comment,
    name,
    parameters,
    value,
  }))
}

/** Matches `images.Image`, `Static<typeof trails.Trail>` and `Sent<…>` of either. */
const ofSchema = /^(Sent<)?(?:Static<typeof (\w+)\.(\w+)>|(\w+)\.(\w+))>?$/

/** The namespaces of `import type * as`, with the modules at run time. */
async function modulesOf(text: string, file: string): Promise<Map<string, Record<string, unknown>>> {
  const imports = text.matchAll(/^import type \* as (\w+) from '([^']+)'$/gm)
  const modules = [...imports].map(async ([, name = '', from = '']) => {
    const url = pathToFileURL(path.resolve(path.dirname(file), from)).href
    return [name, (await import(url)) as Record<string, unknown>] as const
  })
  return new Map(await Promise.all(modules))
}

/**
 * Other lines are copied unchanged, so they may only use names declared there. The package's test compares the result
 * with the schemas' types in the repository.
 */
export async function publishedTypes(file: string): Promise<string> {
  const text = await readFile(file, 'utf8')
  const modules = await modulesOf(text, file)
  const statements = statementsIn(text)
  const declared = [...text.matchAll(/^export type (\w+)/gm)].map(([, name]) => name)
  const missed = declared.filter((name) => !statements.some((statement) => statement.name === name))
  if (missed.length > 0) throw new Error(`${file}: ${missed.join(', ')} could not be read`)

  const asWritten: Statement[] = []
  const documents: (readonly [name: string, isSent: boolean, schema: unknown])[] = []
  for (const statement of statements) {
    const match = ofSchema.exec(statement.value)
    if (!match) {
      asWritten.push(statement)
      continue
    }
    const [, sent, room = match[4] ?? '', schema = match[5] ?? ''] = match
    const value = modules.get(room)?.[schema]
    if (value === undefined)
      throw new Error(`${file}: ${statement.name} names ${room}.${schema}, which is no schema`)
    documents.push([statement.name, sent !== undefined, value])
  }

  const declarations = createDeclarations(asWritten.map(({ name }) => name))
  // Names first, so that documents can refer to each other.
  for (const [name, isSent, schema] of documents)
    if (isSent) declarations.declareSent(name, schema)
    else declarations.declare(name, schema)
  const lines = asWritten.map(
    ({ comment, name, parameters, value }) => `${comment}export type ${name}${parameters} = ${value}\n`,
  )
  return [
    '// The documents of the service as types. Made from the schemas that the server validates by.\n',
    ...lines,
    declarations.text(),
  ].join('\n')
}
