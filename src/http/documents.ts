// Pages for people who follow an address: what each problem means, and the two pages of a server without the web app.
import type { FastifyInstance, FastifyReply } from 'fastify'
import { refusals, refuse, type RefusalCode } from '../errors.ts'
import { html, type Html } from '../site/html.ts'
import type { PageOptions, Site } from '../site/site.ts'
import { isRefusalCode } from './problem.ts'

function frontPage({ href }: Site): Html {
  return html`<p class="lead">Trail photos, reviewed and served in the sizes that pages need.</p>
    <ul class="cards">
      <li class="card">
        <h2><a href="${href('/account')}">Your account</a></h2>
        <p>What can be done about it on a server without the web app.</p>
      </li>
      <li class="card">
        <h2><a href="${href('/device')}">Connect a device</a></h2>
        <p>Type the code that a device or terminal shows.</p>
      </li>
      <li class="card">
        <h2><a href="${href('/openapi.json')}">The interface</a></h2>
        <p>Every address of this server, as OpenAPI.</p>
      </li>
      <li class="card">
        <h2><a href="${href('/problems')}">Problems</a></h2>
        <p>What each refusal means, and what helps.</p>
      </li>
      <li class="card">
        <h2><a href="${href('/health/ready')}">Health</a></h2>
        <p>Is the server ready?</p>
      </li>
    </ul>`
}

/** In the place of the web app's pages, which other pages and mails lead to. */
function accountPage({ href }: Site): Html {
  return html`<p class="lead">This server is run without the web app, which has the pages for this.</p>
    <p>
      Your profile, keys, browsers and applications are below <code>/v2/me</code> of
      <a href="${href('/openapi.json')}">the interface</a>; whoever runs the server changes them with
      <code>waymark accounts</code>. What works here:
    </p>
    <ul>
      <li><a href="${href('/sign-in')}">Sign in</a></li>
      <li><a href="${href('/reset')}">Choose a new password</a></li>
      <li><a href="${href('/device')}">Connect a device</a></li>
    </ul>`
}

/** The page that a problem's `type` resolves to. */
function problemPage({ href }: Site, code: RefusalCode): Html {
  const { status, help } = refusals[code]
  return html`<p class="lead">${help}</p>
    <dl class="facts">
      <dt>Status</dt>
      <dd>${status}</dd>
      <dt>Code</dt>
      <dd><code>${code}</code></dd>
    </dl>
    <p><a href="${href('/problems')}">All problems</a></p>`
}

function problemIndexPage({ href }: Site): Html {
  const rows = Object.entries(refusals).map(
    ([code, { status, title }]) =>
      html`<tr>
        <td class="number">${status}</td>
        <td><a href="${href(`/problems/${code}`)}">${title}</a><br /><code>${code}</code></td>
      </tr>`,
  )
  return html`<p class="lead">What a request may be refused with.</p>
    <table>
      <thead>
        <tr>
          <th scope="col">Status</th>
          <th scope="col">Title and code</th>
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>`
}

export interface DocumentsOptions {
  /** Nobody else has the addresses `/` and `/account`. */
  readonly hasFrontPage: boolean
}

export function registerDocuments(
  app: FastifyInstance,
  site: Site,
  { hasFrontPage }: DocumentsOptions,
): void {
  const config = { access: { credential: 'open' } } as const
  const send = (reply: FastifyReply, options: Pick<PageOptions, 'title' | 'body'>): FastifyReply =>
    site.send(reply, { ...options, cacheControl: 'public, max-age=300' })

  if (hasFrontPage) {
    app.get('/', { config }, (_request, reply) => send(reply, { title: site.name, body: frontPage(site) }))
    app.get('/account', { config }, (_request, reply) =>
      send(reply, { title: 'Your account', body: accountPage(site) }),
    )
  }
  app.get('/problems', { config }, (_request, reply) =>
    send(reply, { title: 'Problems', body: problemIndexPage(site) }),
  )
  app.get<{ Params: { code: string } }>('/problems/:code', { config }, (request, reply) => {
    const { code } = request.params
    if (!isRefusalCode(code)) throw refuse('not-found')
    return send(reply, { title: refusals[code].title, body: problemPage(site, code) })
  })
}
