// The page a browser gets where an OAuth request fails.
import type { ErrorOut, KoaContextWithOIDC } from 'oidc-provider'
import { html, type Html } from '../../site/html.ts'
import type { PageOptions, Site } from '../../site/site.ts'
import type { HeldAnswer } from './oauth-forwarding.ts'

/** Where the fault is ours, and not the application's. */
const ours: ReadonlySet<string> = new Set(['temporarily_unavailable', 'server_error'])

const oursSentence = 'This could not be done now. Please try again later.'

/** For people who read the page; every other error is the application's, in the words for whoever makes it. */
const forPeople: Readonly<Record<string, string>> = {
  login_required: 'You are not signed in here.',
  consent_required: 'You have not allowed the application what it asks for.',
  interaction_required: 'You would have to be asked first, and the application did not allow that.',
}

function facts(error: string, description: string | undefined): Html {
  const reason = forPeople[error] ?? description
  return html`<dl class="facts">
    <dt>Error</dt>
    <dd><code>${error}</code></dd>
    ${
      reason !== undefined &&
      html`<dt>Reason</dt>
        <dd>${reason}</dd>`
    }
  </dl>`
}

/** The texts may repeat what the client sent. */
export function createErrorPage(site: Site) {
  return (ctx: KoaContextWithOIDC, { error, error_description: description }: ErrorOut): void => {
    const options: PageOptions = {
      title: 'This did not work',
      body: html`<p class="lead">
          ${
            ours.has(error)
              ? oursSentence
              : 'The application that sent you here made a request that this site cannot accept.'
          }
        </p>
        ${facts(error, description)}`,
    }
    ctx.set(site.headers(options))
    ctx.body = site.page(options)
  }
}

/**
 * The page of somebody who is not sent on (oauth-forwarding.ts). The name and the host are what somebody unknown chose, so
 * the host is no link, and the page sends nobody anywhere.
 */
export function createHeldPage(site: Site) {
  return (ctx: KoaContextWithOIDC, { client, host, error, description }: HeldAnswer): void => {
    const options: PageOptions = {
      title: `You stay on ${site.name}`,
      body: html`<p class="lead">
          The application <strong>${client.name}</strong>, registered by <strong>${client.publisher}</strong>,
          wanted to send you on to <strong>${host}</strong>.
        </p>
        <p>
          ${ours.has(error) ? oursSentence : 'Its request failed.'} You have not allowed this application
          anything, and no admin of this site has approved it, so you are not forwarded.
        </p>
        <p>
          If you know the application, go back to it and start again. If a link from somebody else brought you
          here, close this page.
        </p>
        ${facts(error, description)}`,
    }
    ctx.set(site.headers(options))
    ctx.body = site.page(options)
  }
}

export type RenderErrorPage = ReturnType<typeof createErrorPage>
