// The cost of an export of all trails, estimated from the longest one in progress and the last one: no table has it
// in advance.
import type { ExportFormat } from './trail-exports.ts'

/** Bytes that are read, written and sent for one unit of the rate limits: lines are copied, CSV rows are built. */
const bytesOfUnit: Readonly<Record<ExportFormat, number>> = { geojson: 2 * 1024 ** 2, csv: 128 * 1024 }

export function createExportCosts() {
  const lengths = new Map<ExportFormat, number>()

  return {
    /** In units of the rate limits, beyond the 1 of every request. */
    costOf: (format: ExportFormat): number => Math.floor((lengths.get(format) ?? 0) / bytesOfUnit[format]),

    /** Passes the chunks through and records their length. */
    measured: async function* measured(
      format: ExportFormat,
      chunks: AsyncIterable<string>,
    ): AsyncGenerator<string, void> {
      let length = 0
      for await (const chunk of chunks) {
        length += chunk.length
        lengths.set(format, Math.max(length, lengths.get(format) ?? 0))
        yield chunk
      }
      lengths.set(format, length)
    },
  }
}
