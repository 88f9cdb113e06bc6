// The code of docs/sdk.md as programs: extracted, with values instead of placeholders, and run.
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

const root = path.resolve(import.meta.dirname, '../..')
/** What the samples import, and where it is. */
export const sampleEntries = {
  '@waymark/client': 'client/client.ts',
  '@waymark/client/parts': 'client/parts.ts',
  '@waymark/placing': 'src/shared/placing/place-on-track.ts',
}

export interface Sample {
  /** The heading that it stands under. */
  readonly heading: string
  readonly code: string
}

export async function readSamples(): Promise<Sample[]> {
  const text = await readFile(path.join(root, 'docs/sdk.md'), 'utf8')
  return text.split(/^#+ /m).flatMap((section) => {
    const heading = section.split('\n', 1)[0] ?? ''
    return [...section.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(([, code = '']) => ({ heading, code }))
  })
}

export interface Run {
  /** What the sample logged, a line each. */
  readonly lines: string[]
  readonly exported: Record<string, unknown>
}

/** @param values replace text in the sample; `fakes` are browser globals by name. */
export async function runSample(
  { code }: Sample,
  options: {
    readonly folder: string
    readonly values: Readonly<Record<string, string>>
    readonly fakes?: Readonly<Record<string, unknown>>
    readonly onLine?: (line: string) => void
  },
): Promise<Run> {
  const { folder, values, fakes = {}, onLine } = options
  const lines: string[] = []
  const log = (...parts: unknown[]): void => {
    const line = parts.map((part) => (typeof part === 'string' ? part : JSON.stringify(part))).join(' ')
    lines.push(line)
    onLine?.(line)
  }
  const name = `sample-${crypto.randomUUID()}`
  Object.assign(globalThis, { [name]: { console: { log }, ...fakes } })
  const given = `const { ${['console', ...Object.keys(fakes)].join(', ')} } = globalThis['${name}'];`
  let filled = code
  for (const [module, entry] of Object.entries(sampleEntries))
    filled = filled.replaceAll(`'${module}'`, `'${pathToFileURL(path.join(root, entry)).href}'`)
  for (const [placeholder, value] of Object.entries(values)) filled = filled.replaceAll(placeholder, value)
  const file = path.join(folder, `${name}.ts`)
  await writeFile(file, given + filled)
  const exported = (await import(pathToFileURL(file).href)) as Record<string, unknown>
  return { lines, exported }
}
