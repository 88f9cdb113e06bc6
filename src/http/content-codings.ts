// Content codings of an answer: which ones a client accepts, and the compression, which is not the event loop's to do.
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib'
import Negotiator from 'negotiator'
import { remembering } from '../shared/bounded-cache.ts'

export type Compression = 'zstd' | 'br' | 'gzip'
export type Coding = Compression | 'identity'

/** In order of preference among equals: by the cost of compressing and decompressing. */
const codings: readonly Coding[] = ['zstd', 'br', 'gzip', 'identity']

const maxRemembered = 200
const maxRememberedLength = 200

/** The place of a coding of an Accept-Encoding, such as `gzip;q=0.5`, among ours. */
function rankOf(accepted: string): number {
  const [name = ''] = accepted.split(';')
  const rank = codings.findIndex((coding) => coding === name.trim().toLowerCase())
  return rank < 0 ? codings.length : rank
}

/** @returns a parser of Accept-Encoding: the accepted encodings, the preferred one first; none if it accepts none. */
export function createCodingsReader(): (acceptEncoding: string | undefined) => readonly Coding[] {
  function read(acceptEncoding: string): readonly Coding[] {
    // Among equals a negotiator goes by the order in which they were sent, which means nothing.
    const ours = acceptEncoding.split(',').toSorted((one, other) => rankOf(one) - rankOf(other))
    const negotiator = new Negotiator({ headers: { 'accept-encoding': ours.join(',') } })
    const accepted = new Set(negotiator.encodings([...codings]))
    return [...accepted].filter((coding): coding is Coding => codings.some((known) => known === coding))
  }

  const readOnce = remembering(maxRemembered, read)
  return (acceptEncoding = '') =>
    acceptEncoding.length > maxRememberedLength ? read(acceptEncoding) : readOnce(acceptEncoding)
}

/** Levels that cost about as much as they save; brotli from 9 on takes ten times as long for a tenth less. */
const compressors: Readonly<Record<Compression, (bytes: Uint8Array) => Promise<Buffer>>> = {
  zstd: (bytes) =>
    promisify(zstdCompress)(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 1 }, chunkSize }),
  br: (bytes) =>
    promisify(brotliCompress)(bytes, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
      chunkSize,
    }),
  gzip: (bytes) => promisify(gzip)(bytes, { level: 6, chunkSize }),
}
/** The loop has a hand in every chunk. */
const chunkSize = 256 * 1024

export function compress(bytes: Uint8Array, coding: Compression): Promise<Buffer> {
  return compressors[coding](bytes)
}

/**
 * The ETag of a body in an encoding, derived from that of the uncompressed body: different for each (RFC 9110,
 * 8.8.3.3), and known before compressing.
 */
export function codedEtag(etag: string, coding: Coding): string {
  return coding === 'identity' ? etag : `${etag.slice(0, -1)}-${coding}"`
}
