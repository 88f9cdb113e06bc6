// The page around the web app: what it loads, what its policy lets it, and what others may show of its address.
import { html, rendered, rich, type Html } from '../site/html.ts'
import type { Site } from '../site/site.ts'
import { realLanguage, type PageLanguage } from '../texts/request-language.ts'
import { textsIn } from '../texts/texts.ts'
import type { BuiltApp } from './built-app.ts'
import { structured, type StructuredData } from './structured-data.ts'

/** What is told of a page to whoever shows a link to it. */
export interface Preview {
  readonly title: string
  readonly description: string
  /** The page's one address. */
  readonly url: string
  readonly image?: { readonly url: string; readonly alt: string } | undefined
  /** What search engines read of it. */
  readonly data?: readonly StructuredData[]
  /** A page that only whoever has its link should find. */
  readonly isUnlisted?: boolean
}

export interface ShellSettings {
  readonly publicUrl: string
  readonly imageHandlerUrl: string
}

/**
 * 'unlisted' is a page of which nobody may be told anything: it may be somebody's own. 'missing' is an address at which
 * there is nothing for everybody, whether there is something for some or not.
 */
export type ShellPage = Preview | 'unlisted' | 'missing'

const isTold = (about: ShellPage): about is Preview => typeof about !== 'string'

const isIndexed = (about: ShellPage): boolean => isTold(about) && about.isUnlisted !== true

function titleOf(about: ShellPage, siteName: string, missing: string): string {
  const title = isTold(about) ? about.title : about === 'missing' ? missing : siteName
  return title === siteName ? siteName : `${title} · ${siteName}`
}

/** @param mapOrigins of others, from which the map comes. */
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
    "style-src 'self' 'unsafe-inline'", // maps and menus place themselves by style attributes; a style runs nothing
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

/** How a page begins. */
export interface PageBody {
  readonly locale: string
  /** The source of its page, such as `pages/gallery/gallery-page.tsx`. */
  readonly chunk: string
  /** Who may ask for what while the scripts are on the way: a role, and addresses of v2. */
  readonly early?: readonly string[] | undefined
  /** As the app rendered it on the server; undefined where the app begins on an empty page. */
  readonly html?: string | undefined
  /** It says what there is to say, without scripts too: a page of its own, or that there is none. */
  readonly isReadable?: boolean | undefined
  /** From which the app goes on in the browser, where the page has all that belongs to it. */
  readonly state?: string | undefined
}

export function createShell(site: Site, settings: ShellSettings) {
  const usual = site.headers({ title: site.name, body: html``, cacheControl: 'private, no-store' })
  const address = (file: string): string => site.href(`/${file}`)

  /** Ahead of the styles: what it asks for takes longer to come than they do. */
  const asking = (early: readonly string[]): Html =>
    html`<meta name="waymark-early" content="${early.join(' ')}" />
      <script async src="${site.assetAddress('early.js')}"></script>`

  const starting = (script: string, others: readonly string[]): Html =>
    html`${others.map((file) => html`<link rel="modulepreload" href="${address(file)}" />`)}
      <script type="module" src="${address(script)}"></script>`

  /** Ahead of paint, before-paint.js marks the page as dark where it is; without scripts it is marked as light for good. */
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
      // A page that is whole is looked at before its scripts come: they wait for the first picture (assets/wake.js).
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
            ${isTold(about) && previewTags(about, siteName)}
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
