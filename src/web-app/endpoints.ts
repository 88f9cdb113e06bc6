// The URLs of the web app: its page at each of them, and its files.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { addVary } from '../http/codec.ts'
import { html } from '../site/html.ts'
import type { Site } from '../site/site.ts'
import { languageOf } from '../texts/request-language.ts'
import { textsIn, type Texts } from '../texts/texts.ts'
import { registerAppFiles } from './app-files.ts'
import { createBuiltApp } from './built-app.ts'
import { addressOf, quietPages, type AppPage, type Look, type Named } from './app-addresses.ts'
import type { PageMaker } from './page-maker.ts'
import type { Previews } from './previews.ts'
import type { ServerRendering } from './server-rendering.ts'

export interface WebAppDependencies {
  readonly site: Site
  readonly previews: Previews
  readonly makePage: PageMaker
  readonly warm: ServerRendering['warm']
  /** The output folder of vite. */
  readonly folder: string
}

const config = { access: { credential: 'page' }, rate: 'views' } as const

const named = (request: FastifyRequest<Named>, name: string): string => request.params[name] ?? ''

interface PageWithPreview extends AppPage {
  readonly look: Look
  /** Where it is shown instead, for now. */
  readonly movedTo?: (request: FastifyRequest<Named>) => Promise<string | undefined>
}

/** Pages with a link preview. */
const pagesWithPreview = (previews: Previews): readonly PageWithPreview[] => [
  {
    address: '/',
    chunk: 'pages/trails/trails-page.tsx',
    isPublic: true,
    query: ['q', 'bbox', 'view', 'cursor'],
    look: previews.front,
  },
  {
    address: '/t/:slug',
    chunk: 'pages/gallery/gallery-page.tsx',
    isPublic: true,
    query: ['bbox', 'since', 'map', 'order', 'from', 'taken', 'cursor'],
    look: (texts, request) => previews.trail(texts, named(request, 'slug')),
  },
  {
    address: '/t/:slug/:imageID',
    chunk: 'pages/gallery/gallery-page.tsx',
    isPublic: true,
    query: ['bbox', 'since', 'map', 'order', 'from', 'taken', 'cursor'],
    look: (texts, request) => previews.photoOf(texts, named(request, 'slug'), named(request, 'imageID')),
  },
  {
    address: '/i/:imageID',
    chunk: 'pages/gallery/image-page.tsx',
    look: previews.photo,
    movedTo: (request) => previews.pathOf(named(request, 'imageID')),
  },
  {
    address: '/routes',
    chunk: 'pages/routes/public/public-routes-page.tsx',
    isPublic: true,
    query: ['q', 'distance', 'ascent', 'near', 'order', 'bbox', 'view', 'cursor'],
    look: previews.routes,
  },
  {
    address: '/routes/:routeID',
    chunk: 'pages/routes/route/route-page.tsx',
    isPublic: true,
    isPublicIfTold: true,
    query: ['token', 'as'],
    look: (texts, request) => {
      const { token } = request.query
      return previews.route(texts, named(request, 'routeID'), typeof token === 'string' ? token : undefined)
    },
  },
  ...['/docs', '/docs/:page', '/docs/:page/:part'].map((address) => ({
    address,
    chunk: 'pages/docs/docs-page.tsx',
    look: previews.guide,
  })),
]

const quiet: Look = async () => ({ about: 'unlisted', status: 200, dependsOn: [] })

export function registerWebApp(app: FastifyInstance, dependencies: WebAppDependencies): void {
  const { site, previews, makePage, warm, folder } = dependencies
  const builtApp = createBuiltApp(folder)

  function sendUnbuilt(reply: FastifyReply, { webApp }: Texts): FastifyReply {
    const { title, lead, api } = webApp.notBuilt
    return site.send(reply, {
      title,
      status: 503,
      body: html`<p class="lead">${lead}</p>
        <p>${api}</p>`,
    })
  }

  function serve(page: AppPage, look: Look, movedTo?: PageWithPreview['movedTo']): void {
    app.get<Named>(page.address, { config }, async (request, reply) => {
      const built = await builtApp.find()
      await site.follow()
      const path = await movedTo?.(request)
      if (path !== undefined)
        return reply.header('Cache-Control', 'private, no-store').redirect(site.href(path), 302)
      const texts = textsIn(languageOf(request.headers))
      if (built === undefined) return sendUnbuilt(reply, texts)
      const { status, headers, body, coding, dependsOn, isStill } = await makePage(request, {
        built,
        isBuilt: () => builtApp.isStill(built),
        page,
        look: () => look(texts, request),
      })
      // With unknown query parameters there would be too many URLs to cache.
      if (dependsOn !== undefined && addressOf(page, request) === request.url)
        request.cacheAnswer({ dependsOn, isForEveryone: true, isByLanguage: true, isStill })
      addVary(reply, 'Accept-Encoding')
      if (coding !== 'identity') void reply.header('Content-Encoding', coding)
      return reply.code(status).headers(headers).send(body)
    })
  }

  app.addHook('onListen', (done) => {
    void builtApp.find().then((built) => built && warm(built))
    done()
  })
  // A second URL for the list of trails; redirect to the canonical one, for search engines.
  app.get('/trails', { config }, (request, reply) => {
    const at = request.url.indexOf('?')
    const address = `${site.href('/')}${at < 0 ? '' : request.url.slice(at)}`
    return reply.header('Cache-Control', 'public, max-age=3600').redirect(address, 301)
  })
  for (const page of pagesWithPreview(previews)) serve(page, page.look, page.movedTo)
  for (const page of quietPages) serve(page, quiet)

  registerAppFiles(app, folder)
}
