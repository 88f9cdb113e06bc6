// Pages for people who follow an address: the front page and what each problem means.
import type { FastifyInstance, FastifyReply } from 'fastify'
import { refuse } from '../errors.ts'
import { page, pagePolicy } from './page.ts'
import { isRefusalCode, problemIndexPage, problemPage } from './problem.ts'

function sendPage(reply: FastifyReply, html: string): FastifyReply {
  return reply
    .header('Content-Type', 'text/html; charset=utf-8')
    .header('Content-Security-Policy', pagePolicy)
    .header('Cache-Control', 'public, max-age=300')
    .send(html)
}

const frontPage = page(
  'Waymark',
  `<p>Trail photos, reviewed and served in five sizes.</p>
<ul>
<li><a href="openapi.json">The interface, as OpenAPI</a></li>
<li><a href="problems">What each refusal means</a></li>
<li><a href="health/ready">Is the server ready?</a></li>
</ul>`,
)

export function registerDocuments(app: FastifyInstance): void {
  const config = { access: { credential: 'open' } } as const

  app.get('/', { config }, (_request, reply) => sendPage(reply, frontPage))
  app.get('/problems', { config }, (_request, reply) => sendPage(reply, problemIndexPage()))
  app.get<{ Params: { code: string } }>('/problems/:code', { config }, (request, reply) => {
    if (!isRefusalCode(request.params.code)) throw refuse('not-found')
    return sendPage(reply, problemPage(request.params.code))
  })
}
