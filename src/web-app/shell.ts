// The HTML around the web app: what it loads, its security policy, and its link preview.
import { html, rendered, rich, type Html } from '../site/html.ts'
import type { Site } from '../site/site.ts'
import { realLanguage, type PageLanguage } from '../texts/request-language.ts'
import { textsIn } from '../texts/texts.ts'
import type { BuiltApp } from './built-app.ts'
import { structured, type StructuredData } from './structured-data.ts'

/** The link preview of a page. */
export interface Preview {
  readonly title: string
  readonly description: string
  /** The page's canonical URL. */
  readonly url: string
  readonly image?: { readonly url: string; readonly alt: string } | undefined
  /** Structured data for search engines. */
  readonly data?: readonly StructuredData[]
  /** A page that only people with the link should find. */
  readonly isUnlisted?: boolean
}

export interface ShellSettings {
  readonly publicUrl: string
  readonly imageHandlerUrl: string
}

/**
 * 'unlisted' is a page without a preview, because it may be private. 'missing' is a URL without public content,
 * whether or not some users can see something there.
 */
export type ShellPage = Preview | 'unlisted' | 'missing'

const hasPreview = (about: ShellPage): about is Preview => typeof about !== 'string'

const isIndexed = (about: ShellPage): boolean => hasPreview(about) && about.isUnlisted !== true

function titleOf(about: ShellPage, siteName: string, missing: string): string {
  const title = hasPreview(about) ? about.title : about === 'missing' ? missing : siteName
  return title === siteName ? siteName : `${title} · ${siteName}`
}

/** @param mapOrigins other origins from which the map is loaded. */
export function shellPolicy(
  { publicUrl, imageHandlerUrl }: ShellSettings,
  mapOrigins: readonly string[],
): string {
  const ours = new URL(publicUrl).origin
  const others = new Set([new URL(imageHandlerUrl).origin, ...mapOrigins].filter((origin) => origin !== ours))
  const from = (...sources: readonly string[]): string => [...sources, ...others].join(' ')
  return [
    "default-src 'none'",
    "script-src 'self'",
    "worker-src 'self'",
    "style-src 'self' 'unsafe-inline'", // maps and menus position themselves with style attributes; styles cannot run code
    `img-src ${from("'self'", 'data:', 'blob:')}`,
    `connect-src ${from("'self'")}`,
    "form-action 'self'",
    "manifest-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ')
}

function previewTags({ title, description, url, image, data = [] }: Preview, siteName: string): Html {
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
    <meta name="twitter:card" content="${image ? 'summary_large_image' : 'summary'}" />
    ${structured(data)}`
}

/** The initial content of a page. */
export interface PageBody {
  readonly locale: string
  /** The source of its page, such as `pages/gallery/gallery-page.tsx`. */
  readonly chunk: string
  /** Requests to send while the scripts are loading: the minimum role, and v2 URLs. */
  readonly early?: readonly string[] | undefined
  /** Rendered on the server; undefined if the app starts on an empty page. */
  readonly html?: string | undefined
  /** It is complete without scripts: a rendered page, or "not found". */
  readonly isReadable?: boolean | undefined
  /** State from which the app continues in the browser, if the page has all of its data. */
  readonly state?: string | undefined
}

export function createShell(site: Site, settings: ShellSettings) {
  const usual = site.headers({ title: site.name, body: html``, cacheControl: 'private, no-store' })
  const address = (file: string): string => site.href(`/${file}`)

  /** Before the styles, because these requests take longer than they do. */
  const asking = (early: readonly string[]): Html =>
    html`<meta name="waymark-early" content="${early.join(' ')}" />
      <script async src="${site.assetAddress('early.js')}"></script>`

  const starting = (script: string, others: readonly string[]): Html =>
    html`${others.map((file) => html`<link rel="modulepreload" href="${address(file)}" />`)}
      <script type="module" src="${address(script)}"></script>`

  /**
   * Before the first paint, before-paint.js marks the page as dark if necessary; without scripts it stays marked as
   * light.
   */
  const darkWithoutScripts = ({ darkWithoutScripts: file }: BuiltApp): Html =>
    file === undefined
      ? html``
      : html`<noscript>
          <link rel="stylesheet" href="${address(file)}" media="screen and (prefers-color-scheme: dark)" />
        </noscript>`

  const waking = (script: string, others: readonly string[]): Html =>
    html`<meta
        name="waymark-app"
        content="${[site.assetAddress('early.js'), ...[script, ...others].map(address)].join(' ')}"
      />
      <script type="module" src="${site.assetAddress('wake.js')}"></script>`

  return {
    page: (built: BuiltApp, about: ShellPage, language: PageLanguage, body: PageBody): string => {
      const siteName = site.name
      const ofPage = built.ofPage(body.chunk, realLanguage(language))
      const styles = [...built.styles, ...ofPage.styles]
      const others = [...built.preloads, ...built.catalogues[realLanguage(language)], ...ofPage.scripts]
      // A complete page can be read before its scripts load, so they wait for the first picture (assets/wake.js).
      const isWhole = body.state !== undefined
      const { webApp } = textsIn(language)
      const link = (path: string) => (text: string) => html`<a href="${site.href(path)}">${text}</a>`
      return html`<!doctype html>
        <html lang="${language}" data-mantine-color-scheme="light">
          <head>
            <meta charset="utf-8" />
            <meta name="viewport" content="width=device-width, initial-scale=1" />
            <meta name="color-scheme" content="light dark" />
            <meta name="referrer" content="same-origin" />
            <meta name="waymark-locale" content="${body.locale}" />
            <meta name="waymark-base" content="${site.mountPath}" />
            <title>${titleOf(about, siteName, webApp.missing)}</title>
            ${!isIndexed(about) && html`<meta name="robots" content="noindex" />`}
            ${hasPreview(about) && previewTags(about, siteName)}
            <link rel="manifest" href="${site.href('/manifest.webmanifest')}" />
            <script src="${site.assetAddress('before-paint.js')}"></script>
            ${!isWhole && asking(body.early ?? [])}
            ${styles.map((file) => html`<link rel="stylesheet" href="${address(file)}" />`)}
            ${site.brandHead()} ${darkWithoutScripts(built)}
            ${isWhole ? waking(built.script, others) : starting(built.script, others)}
          </head>
          <body>
            <div id="root">${body.html !== undefined && rendered(body.html)}</div>
            ${
              body.isReadable !== true &&
              html`<noscript>
                <p>${rich(webApp.noScript, { signIn: link('/sign-in'), device: link('/device') })}</p>
              </noscript>`
            }
            ${
              body.state !== undefined &&
              html`<script type="application/json" id="waymark-state">
                ${rendered(body.state)}
              </script>`
            }
          </body>
        </html> `.markup
    },

    headersOf: (about: ShellPage, mapOrigins: readonly string[]): Record<string, string> => {
      const headers = { ...usual, 'Content-Security-Policy': shellPolicy(settings, mapOrigins) }
      return isIndexed(about) ? headers : { ...headers, 'X-Robots-Tag': 'noindex' }
    },
  }
}

export type Shell = ReturnType<typeof createShell>
