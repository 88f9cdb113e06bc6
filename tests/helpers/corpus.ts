// The shared corpus of real files, if it is available. It is stored beside the project and is not part of it.
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

const root = path.resolve(import.meta.dirname, '../../../shared/corpus')

/** URL of a file or folder in the corpus. */
export const corpusUrl = (place = ''): URL => new URL(place, pathToFileURL(`${root}/`))

/** The reason for skipping a test without the corpus; undefined if it is available. */
export const corpusAbsent = existsSync(root) ? undefined : 'the corpus ../shared/corpus is not there'

export interface ExpectedFile {
  readonly status: readonly number[]
  readonly mimeType?: string
  readonly width?: number
  readonly height?: number
  readonly uprightWidth?: number
  readonly uprightHeight?: number
  readonly orientation?: number
  readonly lat?: string
  readonly lon?: string
  readonly transparency?: boolean
  readonly reference?: string
  readonly maxDifference?: number
  readonly pictureAs?: string
}

export function corpusFile(folder: string, name: string): Promise<Buffer> {
  return readFile(path.join(root, folder, name))
}

export async function expectedOf(folder: string): Promise<[string, ExpectedFile][]> {
  const text = await readFile(path.join(root, folder, 'expected.json'), 'utf8')
  return Object.entries(JSON.parse(text) as Record<string, ExpectedFile>)
}
