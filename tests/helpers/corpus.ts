// The shared corpus of real files, where it is at hand: data beside the project, never part of it.
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

const root = path.resolve(import.meta.dirname, '../../../shared/corpus')

/** Of a file or folder in the corpus. */
export const corpusUrl = (place = ''): URL => new URL(place, pathToFileURL(`${root}/`))

/** The one line that a test says when it skips for want of the corpus; undefined where it is there. */
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
