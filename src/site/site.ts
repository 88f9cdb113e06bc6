// The one frame of every page: head, masthead, foot, and the headers that go with them. Works without scripts.
import type { FastifyReply } from 'fastify'
import { languageHeaders, languageOf, type PageLanguage } from '../texts/request-language.ts'
import { textsIn } from '../texts/texts.ts'
import { readAssets } from './assets.ts'
import { alwaysFresh, type Brand, type BrandFreshness } from './brand.ts'
import { attributes, html, type Html } from './html.ts'
import { footerLinks, headOf, markOf } from './brand-parts.ts'

export interface PageOptions {
  /** Title of the window, and the page's only first-level heading. */
  readonly title: string
  readonly body: Html
  readonly status?: number
  /** Who is signed in. */
  readonly viewer?: { readonly displayName: string } | undefined
  /** Where redirects after a form may end besides here: addresses, of which the origin is used. */
  readonly formTargets?: readonly string[]
  /** Names of assets, loaded as modules. */
  readonly scripts?: readonly string[]
  /** For tables; text is read better in a narrow column. */
  readonly isWide?: boolean
  /** For pages that are the same for everyone; without it the page is not cached. */
  readonly cacheControl?: string
}

/** A native application's address has its own scheme and no origin; the policy's grammar has no IPv6 addresses. */
function formSource(address: string): string[] {
  const url = URL.parse(address)
  if (url === null) return []
  return [url.origin === 'null' || url.hostname.startsWith('[') ? url.protocol : url.origin]
}

function policy({
  formTargets = [],
  scripts = [],
}: Pick<PageOptions, 'formTargets' | 'scripts'> = {}): string {
  const targets = new Set(formTargets.flatMap(formSource))
  return [
    "default-src 'none'",
    ...(scripts.length > 0 ? ["script-src 'self'", "connect-src 'self'"] : []),
    "style-src 'self'",
    "img-src 'self'",
    "font-src 'none'",
    ["form-action 'self'", ...targets].join(' '),
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ')
}

/**
 * @param brand the current branding, read for each page.
 * @param freshness whether it is current, and a way to wait for that.
 */
export function createSite(
  publicUrl: string,
  brand: () => Brand,
  { follow, isPresent }: BrandFreshness = alwaysFresh,
) {
  const { protocol, hostname, pathname } = new URL(publicUrl)
  const mountPath = pathname.replace(/\/$/, '')
  /** Elsewhere browsers ignore the header, and complain. */
  const isTrustworthy = protocol === 'https:' || /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(hostname)
  const assets = new Map(readAssets().map((asset) => [asset.name, asset]))

  /** The path with that of PUBLIC_URL in front, as browsers need it. */
  function href(path: string): string {
    return mountPath + path
  }

  function assetAddress(name: string): string {
    const asset = assets.get(name)
    if (asset === undefined) throw new Error(`src/site/assets/ has no ${name}`)
    return href(`/assets/${name}?v=${asset.version}`)
  }

  const brandHead = (): Html => headOf(brand(), { href, ownIcon: assetAddress('favicon.svg') })

  function viewerPart({ displayName }: NonNullable<PageOptions['viewer']>, signOut: string): Html {
    return html`<div class="viewer">
      <a href="${href('/account')}">${displayName}</a>
      <form method="post" action="${href('/sign-out')}">
        <button type="submit" class="button plain small">${signOut}</button>
      </form>
    </div>`
  }

  // Why `referrer`: with no-referrer in the header, browsers send forms with `Origin: null`, and over plain http to a
  // host name nothing else identifies our own forms (http/admission.ts). Other sites still get no Referer.
  function page(
    { title, body, viewer, scripts = [], isWide = false }: PageOptions,
    language: PageLanguage,
  ): string {
    const { frame } = textsIn(language)
    const look = brand()
    const { name, footer } = look
    const windowTitle = title === name ? title : `${title} · ${name}`
    return html`<!doctype html>
      <html lang="${language}">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="color-scheme" content="light dark" />
          <meta name="referrer" content="same-origin" />
          <title>${windowTitle}</title>
          <link rel="stylesheet" href="${assetAddress('waymark.css')}" />
          ${brandHead()}
          ${scripts.map((name) => html`<script type="module" src="${assetAddress(name)}"></script> `)}
        </head>
        <body>
          <a class="skip" href="#main">${frame.skip}</a>
          <header class="masthead">
            <div>
              <a class="brand" href="${href('/')}">${markOf(look, href)}</a>
              ${viewer && viewerPart(viewer, frame.signOut)}
            </div>
          </header>
          <main ${attributes({ id: 'main', class: isWide && 'wide', tabindex: -1 })}>
            <h1>${title}</h1>
            ${body}
          </main>
          <footer class="foot">
            ${footer.text !== '' && html`<p>${footer.text}</p>`}
            ${footerLinks(footer.links, { label: frame.footer, href })}
            <p>${frame.foot(name)}</p>
          </footer>
        </body>
      </html> `.markup
  }

  function headers(options: PageOptions): Record<string, string> {
    return {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': policy(options),
      'Cache-Control': options.cacheControl ?? 'no-store',
      'X-Frame-Options': 'DENY',
      ...(isTrustworthy && { 'Cross-Origin-Opener-Policy': 'same-origin' }),
    }
  }

  /** A page that caches may store is another in each language. */
  function varyOf(reply: FastifyReply, { cacheControl }: PageOptions): Record<string, string> {
    if (cacheControl === undefined) return {}
    const known = reply.getHeader('Vary')
    return { Vary: [...(known === undefined ? [] : [String(known)]), ...languageHeaders].join(', ') }
  }

  return {
    /** As people know it. */
    get name(): string {
      return brand().name
    },
    /** Call it before a page is cached, so that it does not have an outdated branding. */
    follow,
    /** Without waiting: whether a page may be cached. */
    isPresent,
    href,
    assetAddress,
    /** Icon and colours of the site and of browser bars, after all other stylesheets. */
    brandHead,
    /** Whether browsers take every header of this site's: over https, or on this machine. */
    isTrustworthy,
    /** The mount path of the service: empty, or a path without a trailing slash. */
    mountPath,
    page,
    policy,
    /** The headers of a page, for code without a Fastify reply. */
    headers,
    send: (reply: FastifyReply, options: PageOptions): FastifyReply =>
      reply
        .code(options.status ?? 200)
        .headers({ ...headers(options), ...varyOf(reply, options) })
        .send(page(options, languageOf(reply.request.headers))),
  }
}

export type Site = ReturnType<typeof createSite>
