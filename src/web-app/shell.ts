// The page around the web app: what it loads, what its policy lets it, and what others may show of its address.
import { html, rich, type Html } from '../site/html.ts'
import type { Site } from '../site/site.ts'
import { realLanguage, type PageLanguage } from '../texts/request-language.ts'
import { textsIn } from '../texts/texts.ts'
import type { BuiltApp } from './built-app.ts'

/** What is told of a page to whoever shows a link to it. */
export interface Preview {
  readonly title: string
  readonly description: string
  /** The page's one address. */
  readonly url: string
  readonly image?: { readonly url: string; readonly alt: string } | undefined
  /** A page that only whoever has its link should find. */
  readonly isUnlisted?: boolean
}

export interface ShellSettings {
  readonly siteName: string
  readonly publicUrl: string
  readonly imageHandlerUrl: string
}

/** Nothing is known of the page that anybody may be told: it may be somebody's own, or not there at all. */
export type ShellPage = Preview | 'unlisted'

/** @param mapOrigins of others, from which the map comes. */
export function shellPolicy(
  { publicUrl, imageHandlerUrl }: Omit<ShellSettings, 'siteName'>,
  mapOrigins: readonly string[],
): string {
  const ours = new URL(publicUrl).origin
  const others = new Set([new URL(imageHandlerUrl).origin, ...mapOrigins].filter((origin) => origin !== ours))
  const from = (...sources: readonly string[]): string => [...sources, ...others].join(' ')
  return [
    "default-src 'none'",
    "script-src 'self'",
    "worker-src 'self'",
    "style-src 'self' 'unsafe-inline'", // maps and menus place themselves by style attributes; a style runs nothing
    `img-src ${from("'self'", 'data:', 'blob:')}`,
    `connect-src ${from("'self'")}`,
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ')
}

function previewTags({ title, description, url, image }: Preview, siteName: string): Html {
  return html`<meta name="description" content="${description}" />
    <link rel="canonical" href="${url}" />
    <meta property="og:type" content="website" />
    <meta property="og:site_name" content="${siteName}" />
    <meta property="og:title" content="${title}" />
    <meta property="og:description" content="${description}" />
    <meta property="og:url" content="${url}" />
    ${
      image &&
      html`<meta property="og:image" content="${image.url}" />
        <meta property="og:image:alt" content="${image.alt}" />`
    }
    <meta name="twitter:card" content="${image ? 'summary_large_image' : 'summary'}" />`
}

export function createShell(site: Site, settings: ShellSettings) {
  const { siteName } = settings
  const usual = site.headers({ title: siteName, body: html``, cacheControl: 'private, no-store' })
  const address = (file: string): string => site.href(`/${file}`)

  return {
    page: (built: BuiltApp, about: ShellPage, language: PageLanguage): string => {
      const { script, styles } = built
      const preloads = [...built.preloads, ...built.catalogues[realLanguage(language)]]
      const { webApp } = textsIn(language)
      const link = (path: string) => (text: string) => html`<a href="${site.href(path)}">${text}</a>`
      const isIndexed = about !== 'unlisted' && about.isUnlisted !== true
      const title =
        about === 'unlisted' || about.title === siteName ? siteName : `${about.title} · ${siteName}`
      return html`<!doctype html>
        <html lang="${language}">
          <head>
            <meta charset="utf-8" />
            <meta name="viewport" content="width=device-width, initial-scale=1" />
            <meta name="color-scheme" content="light dark" />
            <meta name="referrer" content="same-origin" />
            <meta name="waymark-base" content="${site.mountPath}" />
            <title>${title}</title>
            ${!isIndexed && html`<meta name="robots" content="noindex" />`}
            ${about !== 'unlisted' && previewTags(about, siteName)}
            <link rel="icon" type="image/svg+xml" href="${site.assetAddress('favicon.svg')}" />
            <script src="${site.assetAddress('color-scheme.js')}"></script>
            ${styles.map((file) => html`<link rel="stylesheet" href="${address(file)}" />`)}
            ${preloads.map((file) => html`<link rel="modulepreload" href="${address(file)}" />`)}
            <script type="module" src="${address(script)}"></script>
          </head>
          <body>
            <div id="root"></div>
            <noscript>
              <p>${rich(webApp.noScript, { signIn: link('/sign-in'), device: link('/device') })}</p>
            </noscript>
          </body>
        </html> `.markup
    },

    headersOf: (about: ShellPage, mapOrigins: readonly string[]): Record<string, string> => {
      const headers = { ...usual, 'Content-Security-Policy': shellPolicy(settings, mapOrigins) }
      const isIndexed = about !== 'unlisted' && about.isUnlisted !== true
      return isIndexed ? headers : { ...headers, 'X-Robots-Tag': 'noindex' }
    },
  }
}

export type Shell = ReturnType<typeof createShell>
