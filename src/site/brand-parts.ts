// The parts of a page that show the site's branding: logo, icon, colours, and the footer.
import { isWideLogo } from '../shared/wide-logo.ts'
import type { Brand, BrandLink } from './brand.ts'
import { html, type Html } from './html.ts'
import { logo as ownLogo } from './logo.ts'

type Href = (path: string) => string

/** The logo and the name; a wide logo replaces both. */
export function markOf({ name, logo }: Brand, href: Href): Html {
  if (logo === undefined) return html`${ownLogo}<span>${name}</span>`
  const { path, width, height } = logo
  const isWide = isWideLogo(width / height)
  const image = html`<img
    class="logo"
    src="${href(path)}"
    width="${width}"
    height="${height}"
    alt="${isWide ? name : ''}"
  />`
  return isWide ? image : html`${image}<span>${name}</span>`
}

/** @param of.ownIcon the URL of our own icon. */
export function headOf(
  { icons, stylesheet, themeColours }: Brand,
  { href, ownIcon }: { readonly href: Href; readonly ownIcon: string },
): Html {
  const links = icons.map(({ path, width }) =>
    width > 192
      ? html``
      : html`<link rel="icon" type="image/png" sizes="${width}x${width}" href="${href(path)}" />`,
  )
  const { light, dark } = themeColours
  return html`${icons.length > 0 ? links : html`<link rel="icon" type="image/svg+xml" href="${ownIcon}" />`}
    <meta name="theme-color" media="(prefers-color-scheme: light)" content="${light}" />
    <meta name="theme-color" media="(prefers-color-scheme: dark)" content="${dark}" />
    ${stylesheet !== undefined && html`<link rel="stylesheet" href="${href(stylesheet)}" />`}`
}

export function footerLinks(
  links: readonly BrandLink[],
  { label, href }: { readonly label: string; readonly href: Href },
): Html {
  if (links.length === 0) return html``
  const items = links.map(
    (link) =>
      html`<li><a href="${link.url.startsWith('/') ? href(link.url) : link.url}">${link.label}</a></li>`,
  )
  return html`<nav aria-label="${label}">
    <ul>
      ${items}
    </ul>
  </nav>`
}
