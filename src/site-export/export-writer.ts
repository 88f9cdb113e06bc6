// Writes the files of an export into its zip, and notes the SHA-256 of each; documents with many rows are split.
import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import type { ZipWriter } from '../storage/zip/zip-writer.ts'

export interface WrittenFile {
  readonly name: string
  readonly bytes: number
  /** Hex. */
  readonly sha256: string
  readonly rows: number
}

/** How a document is assembled from its rows. */
export interface Format<Row> {
  readonly head: string
  readonly rowOf: (row: Row, isFirst: boolean) => string
  readonly tail: string
}

/** A FeatureCollection with a feature on each line. */
export const geoJsonOf = <Row>(featureOf: (row: Row) => string): Format<Row> => ({
  head: '{"type":"FeatureCollection","features":[',
  rowOf: (row, isFirst) => `${isFirst ? '' : ','}\n${featureOf(row)}`,
  tail: '\n]}\n',
})

export const jsonLines: Format<object> = {
  head: '',
  rowOf: (row) => `${JSON.stringify(row)}\n`,
  tail: '',
}

/** Texts are compressed in one go, which takes less than 4 GiB: half a million rows are far from that. */
const maxRows = 500_000

export interface ExportWriterOptions {
  readonly zip: ZipWriter
  /** An empty file, for the sums: there may be millions of them. */
  readonly sums: FileHandle
  readonly rowsPerFile?: number
}

export function createExportWriter({ zip, sums, rowsPerFile = maxRows }: ExportWriterOptions) {
  /** Documents only; photos and routes are just in the checksums. */
  const documents: WrittenFile[] = []
  let files = 0

  async function note(name: string, sha256: string): Promise<void> {
    files += 1
    await sums.appendFile(`${sha256}  ${name}\n`)
  }

  async function addTexts(
    name: string,
    texts: AsyncIterable<string> | Iterable<string>,
  ): Promise<WrittenFile> {
    const hash = createHash('sha256')
    let bytes = 0
    await zip.addChunks(
      name,
      (async function* () {
        for await (const text of texts) {
          const chunk = Buffer.from(text, 'utf8')
          bytes += chunk.length
          hash.update(chunk)
          yield chunk
        }
      })(),
    )
    const sha256 = hash.digest('hex')
    await note(name, sha256)
    return { name, bytes, sha256, rows: 0 }
  }

  return {
    documents: (): readonly WrittenFile[] => documents,
    files: (): number => files,

    addTexts,

    addBytes: async (name: string, bytes: Uint8Array): Promise<void> => {
      await zip.add(name, bytes)
      await note(name, createHash('sha256').update(bytes).digest('hex'))
    },

    /** A text that is not a list of rows. */
    addDocument: async (name: string, texts: AsyncIterable<string> | Iterable<string>): Promise<void> => {
      documents.push(await addTexts(name, texts))
    },

    /** @param name such as `images.csv`; with very many rows, `images-2.csv` and so on follow. @returns how many. */
    addRows: async <Row>(
      name: string,
      { head, rowOf, tail }: Format<Row>,
      rows: AsyncGenerator<Row, void>,
    ): Promise<number> => {
      let next = await rows.next()
      let all = 0
      for (let part = 1; part === 1 || next.done !== true; part += 1) {
        let count = 0
        const texts = async function* () {
          yield head
          for (; next.done !== true && count < rowsPerFile; next = await rows.next()) {
            yield rowOf(next.value, count === 0)
            count += 1
          }
          yield tail
        }
        const file = part === 1 ? name : name.replace(/\./, `-${part}.`)
        documents.push({ ...(await addTexts(file, texts())), rows: count })
        all += count
      }
      return all
    },
  }
}

export type ExportWriter = ReturnType<typeof createExportWriter>
