// The addresses of the web app: its page at every one of them, its files, what it asks first, embeds and the base map.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { html } from '../site/html.ts'
import type { Site } from '../site/site.ts'
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

export function registerWebApp(app: FastifyInstance, dependencies: WebAppDependencies): void {
  const { site, shell, previews, folder } = dependencies
  const findBuilt = createBuiltApp(folder)

  function sendUnbuilt(reply: FastifyReply): FastifyReply {
    const sentence = 'The web app has not been built: run npm run build.'
    return site.send(reply, {
      title: 'Not built yet',
      status: 503,
      body: html`<p class="lead">${sentence}</p>
        <p>The interface for programs answers all the same.</p>`,
    })
  }

  function serve(address: string, look: (request: FastifyRequest<Named>) => Promise<PreviewedPage>): void {
    app.get<Named>(address, { config }, async (request, reply) => {
      const built = await findBuilt()
      if (built === undefined) return sendUnbuilt(reply)
      const { about, status } = await look(request)
      return reply.code(status).headers(shell.headersOf(about)).send(shell.page(built, about))
    })
  }

  const named = (request: FastifyRequest<Named>, name: string): string => request.params[name] ?? ''

  serve('/', previews.front)
  serve('/t/:slug', (request) => previews.trail(named(request, 'slug')))
  serve('/t/:slug/:imageID', (request) => previews.photoOf(named(request, 'slug'), named(request, 'imageID')))
  serve('/i/:imageID', (request) => previews.photo(named(request, 'imageID')))
  serve('/routes/:routeID', (request) => {
    const { token } = request.query
    return previews.route(named(request, 'routeID'), typeof token === 'string' ? token : undefined)
  })
  for (const address of ['/docs', '/docs/:page', '/docs/:page/:part']) serve(address, previews.guide)
  for (const address of quietPages) serve(address, async () => ({ about: 'unlisted', status: 200 }))

  registerAppFiles(app, folder)
}
