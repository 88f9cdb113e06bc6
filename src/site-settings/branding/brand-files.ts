// GET /brand/<hash>.png and .css: the pictures of the site, and the stylesheet that sets its colours.
import type { FastifyInstance } from 'fastify'
import type { Db } from '../../database/database.ts'
import { refuse } from '../../errors.ts'
import { isNotModified } from '../../http/representation.ts'
import { findBrandFile } from './brand-file-table.ts'
import type { LiveBrand } from './live-brand.ts'

export interface BrandFilesDependencies {
  readonly db: Db
  readonly live: LiveBrand
}

/** Opened by itself it may do nothing at all. */
const policy = "default-src 'none'; sandbox"

export function registerBrandFiles(app: FastifyInstance, { db, live }: BrandFilesDependencies): void {
  /** Undefined where there is none of that name any more. */
  async function find(file: string): Promise<{ mediaType: string; body: string | Uint8Array } | undefined> {
    const stylesheet = live.stylesheet()
    if (stylesheet?.path === `/brand/${file}`)
      return { mediaType: 'text/css; charset=utf-8', body: stylesheet.text }
    const [, hash] = /^([\da-f]{64})\.png$/.exec(file) ?? []
    const bytes = hash === undefined ? undefined : await findBrandFile(db, hash)
    return bytes && { mediaType: 'image/png', body: bytes }
  }

  app.get<{ Params: { file: string } }>(
    '/brand/:file',
    { config: { access: { credential: 'open' }, rate: 'views' } },
    async (request, reply) => {
      const { file } = request.params
      await live.follow()
      const found = await find(file)
      if (!found) throw refuse('not-found')
      const etag = `"${file.slice(0, 27)}"`
      request.cacheAnswer({ dependsOn: [], isForEveryone: true })
      void reply.headers({
        ETag: etag,
        'Cache-Control': 'public, max-age=31536000, immutable',
        'Content-Security-Policy': policy,
        'X-Content-Type-Options': 'nosniff',
      })
      if (isNotModified(request, etag)) return reply.code(304).send()
      return reply.header('Content-Type', found.mediaType).send(found.body)
    },
  )
}
