// The page that a browser gets if an OAuth request fails.
import type { ErrorOut, KoaContextWithOIDC } from 'oidc-provider'
import { html, rich, type Html } from '../../site/html.ts'
import type { PageOptions, Site } from '../../site/site.ts'
import { languageOf } from '../../texts/request-language.ts'
import { textsIn, type Texts } from '../../texts/texts.ts'
import type { HeldAnswer } from './oauth-forwarding.ts'

/** Internal errors, which are not the application's fault. */
const ours: ReadonlySet<string> = new Set(['temporarily_unavailable', 'server_error'])

/** Errors explained to users; all others are mistakes of the application and are described for its developer. */
function reasonOf(error: string, reasons: Readonly<Record<string, string>>): string | undefined {
  return Object.hasOwn(reasons, error) ? reasons[error] : undefined
}

function facts(error: string, description: string | undefined, texts: Texts): Html {
  const { error: words } = texts.applications
  const reason = reasonOf(error, words.reasons) ?? description
  return html`<dl class="facts">
    <dt>${words.error}</dt>
    <dd><code>${error}</code></dd>
    ${
      reason !== undefined &&
      html`<dt>${words.reason}</dt>
        <dd>${reason}</dd>`
    }
  </dl>`
}

/** The texts may repeat input of the client. */
export function createErrorPage(site: Site) {
  return (ctx: KoaContextWithOIDC, { error, error_description: description }: ErrorOut): void => {
    const texts = textsIn(languageOf(ctx.req.headers))
    const { title, ours: oursSentence, theirs } = texts.applications.error
    const options: PageOptions = {
      title,
      body: html`<p class="lead">${ours.has(error) ? oursSentence : theirs}</p>
        ${facts(error, description, texts)}`,
    }
    ctx.set(site.headers(options))
    ctx.body = site.page(options, languageOf(ctx.req.headers))
  }
}

/**
 * The page of a user who is not redirected (oauth-forwarding.ts). Name and host were chosen by an unknown person, so
 * the host is not a link, and the page does not redirect.
 */
export function createHeldPage(site: Site) {
  return (ctx: KoaContextWithOIDC, { client, host, error, description }: HeldAnswer): void => {
    const texts = textsIn(languageOf(ctx.req.headers))
    const { held, error: words } = texts.applications
    const strong = (text: string): Html => html`<strong>${text}</strong>`
    const options: PageOptions = {
      title: held.title(site.name),
      body: html`<p class="lead">
          ${rich(held.lead, {
            application: strong(client.name),
            publisher: strong(client.publisher),
            host: strong(host),
          })}
        </p>
        <p>${ours.has(error) ? words.ours : words.failed} ${held.why}</p>
        <p>${held.advice}</p>
        ${facts(error, description, texts)}`,
    }
    ctx.set(site.headers(options))
    ctx.body = site.page(options, languageOf(ctx.req.headers))
  }
}

export type RenderErrorPage = ReturnType<typeof createErrorPage>
