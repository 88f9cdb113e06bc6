// Splits files into requests: the service accepts up to a hundred files and 64 MiB in one.
import type { ImportResult } from '../../../../client/client.ts'
import { gpxLimits } from '../../../../src/shared/gpx/gpx.ts'
import { routeStrings as strings } from '../../../strings/routes.ts'
import { formatBytes } from '../../../ui/format.ts'

const maxFiles = 100
/** The limit is 64 MiB; the rest is for the multipart headers of each file. */
const maxBytes = 60 * 1024 ** 2
/** In UTF-16 a document of the maximum length takes twice the bytes. */
const maxFileBytes = gpxLimits.maxBytes * 2

interface Batches<One> {
  readonly batches: readonly (readonly One[])[]
  /** Errors that are known without sending the file. */
  readonly refused: readonly ImportResult[]
}

export function batchesOf<One extends { readonly name: string; readonly size: number }>(
  files: readonly One[],
): Batches<One> {
  const batches: One[][] = []
  const refused: ImportResult[] = []
  let bytes = Infinity
  for (const file of files) {
    if (file.size > maxFileBytes) {
      const detail = strings.tooLong(file.name, formatBytes(gpxLimits.maxBytes))
      refused.push({ file: file.name, problem: { type: 'about:blank', title: detail, status: 413, detail } })
      continue
    }
    const last = batches.at(-1)
    if (last && last.length < maxFiles && bytes + file.size <= maxBytes) {
      last.push(file)
      bytes += file.size
    } else {
      batches.push([file])
      bytes = file.size
    }
  }
  return { batches, refused }
}
