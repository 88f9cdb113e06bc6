// Pages for people who follow an address: what each problem means, and the two pages of a server without the web app.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { refusals, refuse, type RefusalCode } from '../errors.ts'
import { html, rich, type Html } from '../site/html.ts'
import type { PageOptions, Site } from '../site/site.ts'
import { languageOf } from '../texts/request-language.ts'
import { textsIn, type Texts } from '../texts/texts.ts'
import { isRefusalCode } from './problem.ts'

function frontPage({ href }: Site, { documents, frame }: Texts): Html {
  const { account, device, api, problems, health } = documents
  const cards = [
    { path: '/account', title: frame.yourAccount, card: account.card },
    { path: '/device', ...device },
    { path: '/openapi.json', ...api },
    { path: '/problems', ...problems },
    { path: '/health/ready', ...health },
  ]
  return html`<p class="lead">${documents.lead}</p>
    <ul class="cards">
      ${cards.map(
        ({ path, title, card }) =>
          html`<li class="card">
            <h2><a href="${href(path)}">${title}</a></h2>
            <p>${card}</p>
          </li>`,
      )}
    </ul>`
}

/** In the place of the web app's pages, which other pages and mails lead to. */
function accountPage({ href }: Site, { documents, signIn }: Texts): Html {
  const code = (text: string): Html => html`<code>${text}</code>`
  const { account, device } = documents
  return html`<p class="lead">${account.lead}</p>
    <p>
      ${rich(account.api, {
        me: code,
        command: code,
        api: (text) => html`<a href="${href('/openapi.json')}">${text}</a>`,
      })}
    </p>
    <ul>
      <li><a href="${href('/sign-in')}">${signIn.title}</a></li>
      <li><a href="${href('/reset')}">${signIn.reset.choose}</a></li>
      <li><a href="${href('/device')}">${device.title}</a></li>
    </ul>`
}

/** The page that a problem's `type` resolves to. */
function problemPage({ href }: Site, code: RefusalCode, { documents, refusals: texts }: Texts): Html {
  const { problems } = documents
  return html`<p class="lead">${texts[code].help}</p>
    <dl class="facts">
      <dt>${problems.status}</dt>
      <dd>${refusals[code].status}</dd>
      <dt>${problems.code}</dt>
      <dd><code>${code}</code></dd>
    </dl>
    <p><a href="${href('/problems')}">${problems.all}</a></p>`
}

function problemIndexPage({ href }: Site, { documents, refusals: texts }: Texts): Html {
  const { problems } = documents
  const codes = Object.keys(refusals).filter(isRefusalCode)
  const rows = codes.map(
    (code) =>
      html`<tr>
        <td class="number">${refusals[code].status}</td>
        <td><a href="${href(`/problems/${code}`)}">${texts[code].title}</a><br /><code>${code}</code></td>
      </tr>`,
  )
  return html`<p class="lead">${problems.lead}</p>
    <table>
      <thead>
        <tr>
          <th scope="col">${problems.status}</th>
          <th scope="col">${problems.titleAndCode}</th>
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>`
}

export interface DocumentsOptions {
  /** No other route has the addresses `/` and `/account`. */
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

  const textsOf = (request: FastifyRequest): Texts => textsIn(languageOf(request.headers))

  if (hasFrontPage) {
    app.get('/', { config }, (request, reply) =>
      send(reply, { title: site.name, body: frontPage(site, textsOf(request)) }),
    )
    app.get('/account', { config }, (request, reply) => {
      const texts = textsOf(request)
      return send(reply, { title: texts.frame.yourAccount, body: accountPage(site, texts) })
    })
  }
  app.get('/problems', { config }, (request, reply) => {
    const texts = textsOf(request)
    return send(reply, { title: texts.documents.problems.title, body: problemIndexPage(site, texts) })
  })
  app.get<{ Params: { code: string } }>('/problems/:code', { config }, (request, reply) => {
    const { code } = request.params
    if (!isRefusalCode(code)) throw refuse('not-found')
    const texts = textsOf(request)
    return send(reply, { title: texts.refusals[code].title, body: problemPage(site, code, texts) })
  })
}
