// The page a browser gets where an OAuth request fails.
import type { ErrorOut, KoaContextWithOIDC } from 'oidc-provider'
import { html } from '../site/html.ts'
import type { PageOptions, Site } from '../site/site.ts'

/** Where the fault is ours, and not the application's. */
const ours: ReadonlySet<string> = new Set(['temporarily_unavailable', 'server_error'])

/** The texts may repeat what the client sent. */
export function createErrorPage(site: Site) {
  return (ctx: KoaContextWithOIDC, { error, error_description: description }: ErrorOut): void => {
    const options: PageOptions = {
      title: 'This did not work',
      body: html`<p class="lead">
          ${
            ours.has(error)
              ? 'Waymark could not do this now. Please try again in a while.'
              : 'The application that sent you here made a request that Waymark cannot take.'
          }
        </p>
        <dl class="facts">
          <dt>Error</dt>
          <dd><code>${error}</code></dd>
          ${
            description !== undefined &&
            html`<dt>What it means</dt>
              <dd>${description}</dd>`
          }
        </dl>`,
    }
    ctx.set(site.headers(options))
    ctx.body = site.page(options)
  }
}

export type RenderErrorPage = ReturnType<typeof createErrorPage>
