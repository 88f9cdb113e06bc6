// The operator's map files, base map and terrain: a PMTiles file each, from which pages request ranges.
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { refuse } from '../errors.ts'
import { wantedRange } from '../http/byte-ranges.ts'
import { isNotModified } from '../http/representation.ts'
import type { SiteMapFile } from '../shared/v2/site-map-schemas.ts'
import { readAbout } from './archive/about.ts'
import type { MapFileName } from './map-choice.ts'

export interface MapFileDependencies {
  readonly name: MapFileName
  /** It may appear or disappear while the server runs. */
  readonly file: string
  readonly publicUrl: string
}

interface Look {
  readonly bytes: number
  /** Changes with the file. */
  readonly version: string
}

export function createMapFile({ name, file, publicUrl }: MapFileDependencies) {
  const path = `/map/${name}.pmtiles`

  /** Undefined if the file does not exist. */
  async function look(): Promise<Look | undefined> {
    const found = await stat(file).catch(() => undefined)
    if (!found?.isFile()) return undefined
    return {
      bytes: found.size,
      version: `${found.size.toString(36)}-${Math.trunc(found.mtimeMs).toString(36)}`,
    }
  }

  return {
    /** Includes the version, so that browsers may cache what they have read; null if there is no map. */
    address: async (): Promise<string | null> => {
      const found = await look()
      return found ? `${publicUrl}${path}?v=${found.version}` : null
    },

    describe: async (): Promise<SiteMapFile | null> => {
      const found = await look()
      return found ? { path: file, bytes: found.bytes, ...(await readAbout(file, name)) } : null
    },

    register: (app: FastifyInstance): void => {
      app.get<{ Querystring: { v?: string } }>(
        path,
        { config: { access: { credential: 'open' }, rate: 'views' } },
        async (request, reply) => {
          const found = await look()
          if (!found) throw refuse('not-found')
          const { bytes, version } = found
          const etag = `"${version}"`
          const isNamed = request.query.v === version
          void reply.headers({
            ETag: etag,
            'Accept-Ranges': 'bytes',
            'Cache-Control': isNamed ? 'public, max-age=31536000, immutable' : 'public, no-cache',
          })
          if (isNotModified(request, etag)) return reply.code(304).send()
          const range = wantedRange(request, bytes, etag)
          if (range)
            void reply.code(206).header('Content-Range', `bytes ${range.start}-${range.end}/${bytes}`)
          const { start, end } = range ?? { start: 0, end: bytes - 1 }
          void reply.headers({
            'Content-Type': 'application/vnd.pmtiles',
            'Content-Length': Math.max(0, end - start + 1),
          })
          // For an empty body Fastify would set a Content-Length of 0.
          if (request.method === 'HEAD' || bytes === 0) return reply.send(Readable.from([]))
          return reply.send(createReadStream(file, { start, end }))
        },
      )
    },
  }
}
