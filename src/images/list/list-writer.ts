// Writes the list of a trail from the texts of its images, each made once; in turns, since a list may be 10,000 long.
import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { trailImageDetails } from '../../shared/classic/classic-shapes.ts'
import { jsonListFrame } from '../../shared/json/json.ts'
import { xmlListFrame } from '../../shared/xml/xml.ts'
import { etagFrom, type MadeBody } from '../../http/representation.ts'
import type { ListedRow } from './list-table.ts'
import type { ListedForm, Present } from '../present.ts'

/** A listed image, with the texts that were made of it. */
export interface ListEntry {
  readonly row: ListedRow
  /** In UTF-8, each byte as a character of latin1: half the memory of a text with a dash in it, and joined as it is. */
  readonly texts: Partial<Record<ListedForm, string>>
}

/** What the images of a list have in common. */
export interface ListedTrail {
  readonly trailId: number
  readonly name: string
  readonly slug: string
}

/** Some 0.5 ms of texts that are yet to be made. */
const chunkCharacters = 16 * 1024
const turnMs = 2
/** Up to here a body is a text too. */
const maxTextBytes = 16 * 1024

const frames = { json: jsonListFrame, xml: xmlListFrame(trailImageDetails) } as const
const contentTypes = {
  json: 'application/json; charset=utf-8',
  xml: 'application/xml; charset=utf-8',
} as const

export const formatOf = (form: ListedForm): 'json' | 'xml' => (form === 'json' ? 'json' : 'xml')

export function bodyFrom(bytes: Buffer, rest: Omit<MadeBody, 'bytes' | 'text'>): MadeBody {
  return { ...rest, bytes, text: bytes.length > maxTextBytes ? undefined : bytes.toString('latin1') }
}

export function createListWriter(present: Present) {
  function textOf(trail: ListedTrail, { row, texts }: ListEntry, form: ListedForm): string {
    const known = texts[form]
    if (known !== undefined) return known
    const { trailId, name: trailName, slug: trailSlug } = trail
    const written = present.listed({ ...row, trailId, trailName, trailSlug }, form)
    // Made anew: what V8 has put together from forty pieces stays forty pieces, five times as large.
    const text = Buffer.from(written).toString('latin1')
    texts[form] = text
    return text
  }

  /** @param formOf each entry's form; all of one format. */
  async function write(
    trail: ListedTrail,
    entries: readonly ListEntry[],
    format: 'json' | 'xml',
    formOf: (row: ListedRow) => ListedForm,
  ): Promise<MadeBody> {
    const { before, between, after } = frames[format]
    const hash = createHash('sha256')
    const chunks: Buffer[] = []
    const take = (chunk: string): void => {
      const bytes = Buffer.from(chunk, 'latin1')
      hash.update(bytes)
      chunks.push(bytes)
    }
    let chunk: string = before
    let turn = performance.now()
    for (const [index, entry] of entries.entries()) {
      if (index > 0) chunk += between
      chunk += textOf(trail, entry, formOf(entry.row))
      if (chunk.length < chunkCharacters) continue
      take(chunk)
      chunk = ''
      if (performance.now() - turn < turnMs) continue
      await setImmediate()
      turn = performance.now()
    }
    take(chunk + after)
    if (chunks.length > 1) await setImmediate() // to put 5 MB together takes a millisecond or two of its own
    const bytes = Buffer.concat(chunks)
    const contentType = contentTypes[format]
    return bodyFrom(bytes, { etag: etagFrom(hash), contentType, contentEncoding: undefined })
  }

  return { write }
}

export type ListWriter = ReturnType<typeof createListWriter>
