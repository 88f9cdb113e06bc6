// The texts of a trail's list: each image with its separator, the frame around them, and the whole.
import { hash } from 'node:crypto'
import { trailImageDetails } from '../../shared/classic/classic-shapes.ts'
import { jsonListFrame } from '../../shared/json/json.ts'
import { xmlListFrame } from '../../shared/xml/xml.ts'
import { createYielder } from '../../shared/yielding.ts'
import { etagOf, type MadeBody } from '../../http/representation.ts'
import type { ListedForm, Present } from '../present.ts'
import { deflateShort } from './joined-gzip.ts'
import type { WriteListed } from './list-pieces.ts'
import type { ListedTrail } from './list-table.ts'
import { bytesOf, type TakenPiece } from './wanted-texts.ts'

/** Up to here a body is a text too. */
const maxTextBytes = 16 * 1024
const turnMs = 2

const contentTypes = {
  json: 'application/json; charset=utf-8',
  xml: 'application/xml; charset=utf-8',
} as const

function frameFrom({ before, between, after }: Record<'before' | 'between' | 'after', string>) {
  const bytes = { before: Buffer.from(before), after: Buffer.from(after) }
  const deflated = { before: deflateShort(bytes.before), after: deflateShort(bytes.after) }
  return { ...bytes, between, betweenBytes: Buffer.byteLength(between), deflated }
}

export const formatOf = (form: ListedForm): 'json' | 'xml' => (form === 'json' ? 'json' : 'xml')

export function bodyFrom(bytes: Buffer, rest: Omit<MadeBody, 'bytes' | 'text'>): MadeBody {
  return { ...rest, bytes, text: bytes.length > maxTextBytes ? undefined : bytes.toString('latin1') }
}

export function createListWriter(present: Present) {
  const frames = { json: frameFrom(jsonListFrame), xml: frameFrom(xmlListFrame(trailImageDetails)) } as const
  const frameOf = (form: ListedForm) => frames[formatOf(form)]
  const betweenBytes = (form: ListedForm): number => frameOf(form).betweenBytes

  const writerFor =
    ({ trailId, name: trailName, slug: trailSlug }: ListedTrail): WriteListed =>
    (row, form) =>
      Buffer.from(frameOf(form).between + present.listed({ ...row, trailId, trailName, trailSlug }, form))

  /** @returns the whole in its parts, from the texts of its chunks. */
  function framed(form: ListedForm, texts: readonly Buffer[]): Buffer[] {
    const { before, after } = frameOf(form)
    const [first, ...others] = texts
    return first ? [before, first.subarray(betweenBytes(form)), ...others, after] : [before, after]
  }

  return {
    writerFor,
    betweenBytes,
    frameOf,
    framed,
    contentTypeOf: (form: ListedForm): string => contentTypes[formatOf(form)],

    /** A short list, in one chunk. */
    whole: (form: ListedForm, texts: readonly Buffer[]): MadeBody => {
      const bytes = Buffer.concat(framed(form, texts))
      return bodyFrom(bytes, {
        etag: etagOf(bytes),
        contentType: contentTypes[formatOf(form)],
        contentEncoding: undefined,
      })
    },

    /** The texts of chunks in which the owner's images show an address, and others do not. */
    mixed: async (pieces: readonly TakenPiece[], ownerId: number) => {
      const turns = createYielder(turnMs)
      const texts: Buffer[] = []
      const digests: Buffer[] = []
      for (const taken of pieces) {
        const { piece, body, own } = taken
        const { ends } = body
        const bytes = bytesOf(taken)
        texts.push(
          own === undefined
            ? bytes
            : Buffer.concat(
                piece.submitterIds.map((id, at) =>
                  id === ownerId
                    ? own.bytes.subarray(own.ends[at - 1] ?? 0, own.ends[at])
                    : bytes.subarray(ends[at - 1] ?? 0, ends[at]),
                ),
              ),
        )
        digests.push(
          own === undefined && body.digest ? body.digest : hash('sha256', texts.at(-1) ?? '', 'buffer'),
        )
        await turns.yieldIfDue()
      }
      return { texts, digests }
    },
  }
}
