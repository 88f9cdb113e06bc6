// The files of the web app, served from memory. Their names contain a hash, so browsers cache them forever.
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import Negotiator from 'negotiator'
import { refuse } from '../errors.ts'
import { addVary } from '../http/codec.ts'
import { codedEtag } from '../http/content-codings.ts'
import { etagOf, isNotModified } from '../http/representation.ts'

const mediaTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
  '.wasm': 'application/wasm',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
}
/** Already compressed. */
const packed: ReadonlySet<string> = new Set(['.png', '.jpg', '.webp', '.woff2'])
/** Shorter files would hardly shrink. */
const minCompressedBytes = 512

/** A single file name: no separator in any encoding, and no leading dot. */
const plainName = /^[\w-][\w.-]*$/

type AppCoding = 'br' | 'gzip' | 'identity'

/**
 * Done once, on other threads, but while the first visitor waits: brotli above 6 takes seconds for a large chunk. The
 * build stores its files compressed at the best level, so this is only for the others.
 */
const compressors = {
  br: (bytes: Buffer) =>
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } }),
  gzip: (bytes: Buffer) => promisify(gzip)(bytes, { level: 9 }),
  identity: (bytes: Buffer) => Promise.resolve(bytes),
} as const

interface AppFile {
  readonly mediaType: string
  readonly etag: string
  readonly codings: readonly AppCoding[]
  readonly in: (coding: AppCoding) => Promise<Buffer>
}

async function readAppFile(folder: string, name: string): Promise<AppFile | undefined> {
  const extension = path.extname(name)
  const mediaType = mediaTypes[extension]
  if (mediaType === undefined || !plainName.test(name)) return undefined
  const file = path.join(folder, 'app', name)
  const bytes = await readFile(file).catch(() => undefined)
  if (bytes === undefined) return undefined
  const isCompressed = bytes.length >= minCompressedBytes && !packed.has(extension)
  const made = new Map<AppCoding, Promise<Buffer>>()
  const make = async (coding: AppCoding): Promise<Buffer> => {
    const built = coding === 'br' ? await readFile(`${file}.br`).catch(() => undefined) : undefined
    return built ?? compressors[coding](bytes)
  }
  return {
    mediaType,
    etag: etagOf(bytes),
    codings: isCompressed ? ['br', 'gzip', 'identity'] : ['identity'],
    in: (coding) => {
      const known = made.get(coding) ?? make(coding)
      made.set(coding, known)
      return known
    },
  }
}

/** The variant that the client prefers; the plain file if it has no preference. */
function codingFor(file: AppFile, acceptEncoding: string | undefined): AppCoding {
  const headers = { 'accept-encoding': acceptEncoding ?? '' }
  const accepted = new Set(new Negotiator({ headers }).encodings([...file.codings]))
  return file.codings.find((coding) => accepted.has(coding)) ?? 'identity'
}

/** @param folder the output folder of vite. */
export function registerAppFiles(app: FastifyInstance, folder: string): void {
  // At most the files of the builds that this process has seen: missing files are not cached.
  const known = new Map<string, AppFile>()

  app.get<{ Params: { file: string } }>(
    '/app/:file',
    { config: { access: { credential: 'open' }, rate: 'views' } },
    async (request, reply) => {
      const { file: name } = request.params
      const file = known.get(name) ?? (await readAppFile(folder, name))
      if (file === undefined) throw refuse('not-found')
      known.set(name, file)
      const coding = codingFor(file, request.headers['accept-encoding'])
      const etag = codedEtag(file.etag, coding)
      addVary(reply, 'Accept-Encoding')
      void reply.headers({ ETag: etag, 'Cache-Control': 'public, max-age=31536000, immutable' })
      if (isNotModified(request, etag)) return reply.code(304).send()
      if (coding !== 'identity') void reply.header('Content-Encoding', coding)
      return reply.header('Content-Type', file.mediaType).send(await file.in(coding))
    },
  )
}
