// The few static files (stylesheet, logo, scripts): read at the start, served from memory, cached by browsers for long.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { FastifyInstance } from 'fastify'

const folder = path.join(import.meta.dirname, 'assets')

const mediaTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
}

export interface Asset {
  readonly name: string
  readonly mediaType: string
  readonly text: string
  /** Hash of the content; a URL that contains it may be cached for ever. */
  readonly version: string
}

/** All files: anything that is not in the folder at the start has no URL. */
export function readAssets(): readonly Asset[] {
  return readdirSync(folder).map((name) => {
    const mediaType = mediaTypes[path.extname(name)]
    if (mediaType === undefined) throw new Error(`src/site/assets/${name} is of no known media type`)
    const text = readFileSync(path.join(folder, name), 'utf8')
    const version = createHash('sha256').update(text).digest('base64url').slice(0, 12)
    return { name, mediaType, text, version }
  })
}

/** Opened directly, an SVG is a page: it may only style itself. */
const drawingPolicy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"

const kept = 'public, max-age=31536000, immutable'
const cachedBriefly = 'public, max-age=300'

/** The ETag is http/representation.ts's, as of every public document. */
export function registerAssets(app: FastifyInstance): void {
  const config = { access: { credential: 'open' }, rate: 'views' } as const

  function serve(address: string, { mediaType, text, version }: Asset): void {
    app.get<{ Querystring: { v?: string } }>(address, { config }, (request, reply) => {
      if (mediaType.startsWith('image/')) void reply.header('Content-Security-Policy', drawingPolicy)
      return reply
        .header('Content-Type', mediaType)
        .header('Cache-Control', request.query.v === version ? kept : cachedBriefly)
        .header('X-Content-Type-Options', 'nosniff')
        .send(text)
    })
  }

  for (const asset of readAssets()) {
    serve(`/assets/${asset.name}`, asset)
    if (asset.name !== 'favicon.svg') continue
    serve('/favicon.svg', asset)
    serve('/favicon.ico', asset) // browsers request it without being told, also those that use the SVG
  }
}
