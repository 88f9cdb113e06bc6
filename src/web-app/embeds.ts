// Pages for frames on other sites: a photo, the newest photos of a trail, a route. Without scripts, and only public
// content.
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { createBoundedCache, entryBytes } from '../shared/bounded-cache.ts'
import { parseId } from '../shared/classic/classic-paths.ts'
import { refuse } from '../errors.ts'
import { html, type Html } from '../site/html.ts'
import { etagOf, isNotModified } from '../http/representation.ts'
import { addVary } from '../http/codec.ts'
import type { Site } from '../site/site.ts'
import { languageHeaders, languageOf, type PageLanguage } from '../texts/request-language.ts'
import { textsIn, type Texts } from '../texts/texts.ts'
import { altOf, type Listed, type ListedPhoto, type SharedRoute } from './listed.ts'
import { drawingVersion, drawLines, frameDrawing, type Drawing } from './route-drawing.ts'

export interface EmbedsDependencies {
  readonly site: Site
  readonly listed: Listed
  readonly publicUrl: string
  readonly imageHandlerUrl: string
}

interface Embed {
  readonly title: string
  readonly body: Html
  /** Only people with the link should find it. */
  readonly isUnlisted?: boolean
}

const photosOfTrail = 9
const maxAgeSeconds = 300

/** Size of the cache of drawings. */
const maxDrawingBytes = 8 * 1024 ** 2
/** Points of a route that are read and drawn for one unit of the rate limits. */
const pointsOfUnit = 10_000

const config = { access: { credential: 'open' }, rate: 'visitors' } as const

export function registerEmbeds(app: FastifyInstance, dependencies: EmbedsDependencies): void {
  const { site, listed, publicUrl, imageHandlerUrl } = dependencies
  const images = new URL(imageHandlerUrl).origin
  const drawings = createBoundedCache<Drawing>({
    max: maxDrawingBytes,
    sizeOf: ({ content }) => entryBytes + content.markup.length,
  })
  const policy = [
    "default-src 'none'",
    "style-src 'self'",
    `img-src 'self'${images === new URL(publicUrl).origin ? '' : ` ${images}`}`,
    "form-action 'none'",
    "base-uri 'none'",
    'frame-ancestors *',
  ].join('; ')

  const textsFor = (request: FastifyRequest): Texts => textsIn(languageOf(request.headers))
  const imageAddress = (id: number, size: 'md' | '640'): string => `${imageHandlerUrl}?id=${id}&t=${size}`
  const trailAddress = (slug: string): string => `${publicUrl}/t/${encodeURIComponent(slug)}`
  const photoAddress = ({ id, trailSlug }: ListedPhoto): string => `${trailAddress(trailSlug)}/${id}`

  /** In a new window, because the frame is too small for a site. */
  const link = (address: string, content: Html | string): Html =>
    html`<a href="${address}" target="_blank" rel="noopener">${content}</a>`

  const caption = (title: Html | string, ...facts: readonly string[]): Html =>
    html`<figcaption>
      <h1>${title}</h1>
      <span>${facts.filter((fact) => fact !== '').join(' · ')}</span>
      <span class="from">${link(`${publicUrl}/`, site.name)}</span>
    </figcaption>`

  function page({ title, body, isUnlisted }: Embed, language: PageLanguage): string {
    return html`<!doctype html>
      <html lang="${language}">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="color-scheme" content="light dark" />
          ${isUnlisted === true && html`<meta name="robots" content="noindex" />`}
          <title>${title} · ${site.name}</title>
          <link rel="stylesheet" href="${site.assetAddress('waymark.css')}" />
          <link rel="stylesheet" href="${site.assetAddress('embed.css')}" />
          ${site.brandHead()}
        </head>
        <body>
          <main>${body}</main>
        </body>
      </html> `.markup
  }

  function send(reply: FastifyReply, embed: Embed | undefined): FastifyReply {
    const language = languageOf(reply.request.headers)
    void reply.headers({ 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': policy })
    if (embed === undefined) {
      const { title, detail } = textsIn(language).webApp.notShown
      const body = html`<h1>${title}</h1>
        <p>${detail} ${link(`${publicUrl}/`, site.name)}</p>`
      return reply.code(404).header('Cache-Control', 'no-store').send(page({ title, body }, language))
    }
    return describe(reply, embed).send(page(embed, language))
  }

  function describe(reply: FastifyReply, { isUnlisted }: Embed): FastifyReply {
    if (isUnlisted === true) void reply.header('X-Robots-Tag', 'noindex')
    for (const header of languageHeaders) addVary(reply, header)
    const who = isUnlisted === true ? 'private' : 'public'
    return reply.header('Cache-Control', `${who}, max-age=${maxAgeSeconds}`)
  }

  /** Answers without rendering the page: 304, or only the headers for HEAD. */
  function sendHeaders(
    reply: FastifyReply,
    embed: Embed,
    { etag, isKnown }: { readonly etag: string; readonly isKnown: boolean },
  ): FastifyReply {
    void describe(reply, embed).headers({ ETag: etag, 'Content-Security-Policy': policy })
    if (isKnown) return reply.code(304).send()
    return reply.header('Content-Type', 'text/html; charset=utf-8').send(Readable.from([]))
  }

  async function drawingOf(request: FastifyRequest, found: SharedRoute, digest: string): Promise<Drawing> {
    if (!drawings.has(digest)) request.charge(Math.floor(found.route.measures.pointCount / pointsOfUnit))
    return drawings.find(digest, async () => {
      const { lines, digest: present } = await found.lines()
      if (present === digest) return drawLines(lines)
      throw refuse('busy', { detail: 'The route is being changed.', headers: { 'Retry-After': '1' } })
    })
  }

  function photoEmbed(photo: ListedPhoto, { webApp }: Texts): Embed {
    const { id, title, caption: words, trailName, displayName, licence } = photo
    const picture = html`<img src="${imageAddress(id, '640')}" alt="${altOf(photo, webApp)}" />`
    return {
      title: title || trailName,
      body: html`<figure class="photo">
        ${link(photoAddress(photo), picture)}
        ${caption(title || trailName, words, title === '' ? '' : trailName, webApp.photo.credit(displayName), licence ?? '')}
      </figure>`,
    }
  }

  app.get<{ Params: { imageID: string } }>('/embed/images/:imageID', { config }, async (request, reply) => {
    await site.follow()
    const imageId = parseId(request.params.imageID)
    const photo = imageId === undefined ? undefined : await listed.photo(imageId)
    return send(reply, photo && photoEmbed(photo, textsFor(request)))
  })

  app.get<{ Params: { slug: string } }>('/embed/t/:slug', { config }, async (request, reply) => {
    await site.follow()
    const trail = await listed.trail(request.params.slug)
    if (!trail) return send(reply, undefined)
    const { name, slug, miles, images: count } = trail
    const { webApp } = textsFor(request)
    const photos = await listed.newest(trail.id, photosOfTrail)
    const pictures = photos.map((photo) => {
      const picture = html`<img src="${imageAddress(photo.id, 'md')}" alt="${altOf(photo, webApp)}" />`
      return html`<li>${link(photoAddress(photo), picture)}</li>`
    })
    return send(reply, {
      title: name,
      body: html`<figure class="trail">
        <ul>
          ${pictures}
        </ul>
        ${caption(link(trailAddress(slug), name), miles === null ? '' : webApp.distance(miles), webApp.photos(count))}
      </figure>`,
    })
  })

  app.get<{ Params: { routeID: string }; Querystring: { token?: unknown } }>(
    '/embed/routes/:routeID',
    { config },
    async (request, reply) => {
      await site.follow()
      const { token } = request.query
      const routeId = parseId(request.params.routeID)
      const found = await listed.route(routeId, typeof token === 'string' ? token : undefined)
      if (!found) return send(reply, undefined)
      const { route } = found
      const language = languageOf(request.headers)
      const { webApp } = textsIn(language)
      const title = route.name || webApp.route.untitled
      const query = route.visibility === 'public' ? '' : `?token=${encodeURIComponent(String(token))}`
      const embedOf = (drawing: Html): Embed => ({
        title,
        isUnlisted: route.visibility !== 'public',
        body: html`<figure class="route">
          ${drawing}
          ${caption(
            link(`${publicUrl}/routes/${route.id}${query}`, title),
            webApp.distance(Number(route.length)),
            route.displayName,
          )}
        </figure>`,
      })
      const digest = await found.digest()
      // Everything the page depends on, so that nothing is rendered for a client that has it already.
      const etag = etagOf(page(embedOf(html`${drawingVersion} ${digest}`), language))
      const isKnown = isNotModified(request, etag)
      if (isKnown || request.method === 'HEAD') return sendHeaders(reply, embedOf(html``), { etag, isKnown })
      const drawing = await drawingOf(request, found, digest)
      return send(
        reply.header('ETag', etag),
        embedOf(frameDrawing(drawing, { line: webApp.route.line(title), hidden: webApp.route.hidden })),
      )
    },
  )
}
