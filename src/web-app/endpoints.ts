// The addresses of the web app: its page at every one of them, its files, what it asks first, embeds and the base map.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { html } from '../site/html.ts'
import type { Site } from '../site/site.ts'
import { languageOf } from '../texts/request-language.ts'
import { textsIn, type Texts } from '../texts/texts.ts'
import { registerAppFiles } from './app-files.ts'
import { createBuiltApp } from './built-app.ts'
import type { Previews, PreviewedPage } from './previews.ts'
import type { Shell } from './shell.ts'

export interface WebAppDependencies {
  readonly site: Site
  readonly shell: Shell
  readonly previews: Previews
  /** That vite builds into. */
  readonly folder: string
}

/** Pages of which nothing is told to others. A page more is a line here, or one below where something may be told. */
const quietPages = [
  '/upload',
  '/photos',
  '/review',
  '/review/:imageID',
  '/routes',
  '/routes/new',
  '/routes/:routeID/edit',
  '/account',
  '/account/:section',
  '/admin',
  '/admin/:section',
  '/admin/:section/:item',
] as const

const config = { access: { credential: 'page' }, rate: 'views' } as const

type Named = { Params: Record<string, string>; Querystring: Record<string, unknown> }
type Look = (texts: Texts, request: FastifyRequest<Named>) => Promise<PreviewedPage>

export function registerWebApp(app: FastifyInstance, dependencies: WebAppDependencies): void {
  const { site, shell, previews, folder } = dependencies
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

  function serve(address: string, look: Look): void {
    app.get<Named>(address, { config }, async (request, reply) => {
      const built = await builtApp.find()
      await site.follow()
      const language = languageOf(request.headers)
      const texts = textsIn(language)
      if (built === undefined) return sendUnbuilt(reply, texts)
      const { about, status, dependsOn } = await look(texts, request)
      if (dependsOn !== undefined) {
        const isStill = (): boolean => builtApp.isStill(built)
        request.keepAnswer({ dependsOn, isForEveryone: true, isByLanguage: true, isStill })
      }
      return reply
        .code(status)
        .headers(shell.headersOf(about))
        .send(shell.page(built, about, language))
    })
  }

  const named = (request: FastifyRequest<Named>, name: string): string => request.params[name] ?? ''

  serve('/', previews.front)
  serve('/t/:slug', (texts, request) => previews.trail(texts, named(request, 'slug')))
  serve('/t/:slug/:imageID', (texts, request) =>
    previews.photoOf(texts, named(request, 'slug'), named(request, 'imageID')),
  )
  serve('/i/:imageID', (texts, request) => previews.photo(texts, named(request, 'imageID')))
  serve('/routes/:routeID', (texts, request) => {
    const { token } = request.query
    return previews.route(texts, named(request, 'routeID'), typeof token === 'string' ? token : undefined)
  })
  for (const address of ['/docs', '/docs/:page', '/docs/:page/:part']) serve(address, previews.guide)
  for (const address of quietPages)
    serve(address, async () => ({ about: 'unlisted', status: 200, dependsOn: [] }))

  registerAppFiles(app, folder)
}
