// Structured data for search engines: schema.org types for a trail, a photo and the breadcrumbs, as JSON-LD.
import { rendered, html, type Html } from '../site/html.ts'

/** A schema.org object. */
export type StructuredData = Readonly<Record<string, unknown>>

export interface Crumb {
  readonly name: string
  readonly url: string
}

export const crumbs = (path: readonly Crumb[]): StructuredData => ({
  '@type': 'BreadcrumbList',
  itemListElement: path.map(({ name, url }, at) => ({
    '@type': 'ListItem',
    position: at + 1,
    name,
    item: url,
  })),
})

export interface TrailFacts {
  readonly name: string
  readonly url: string
  readonly description: string
  readonly image: string | undefined
}

/** schema.org has no type for trails; this is the closest that search engines know. */
export const trailData = ({ name, url, description, image }: TrailFacts): StructuredData => ({
  '@type': 'TouristAttraction',
  name,
  url,
  description,
  ...(image !== undefined && { image }),
})

export interface PhotoFacts {
  readonly name: string
  readonly caption: string
  readonly url: string
  readonly contentUrl: string
  readonly thumbnailUrl: string
  readonly author: string
  /** URL of the licence's text. */
  readonly licenceUrl: string | undefined
  readonly trail: Crumb
}

export const photoData = (photo: PhotoFacts): StructuredData => {
  const { name, caption, url, contentUrl, thumbnailUrl, author, licenceUrl, trail } = photo
  return {
    '@type': 'ImageObject',
    name,
    ...(caption !== '' && { caption }),
    url,
    contentUrl,
    thumbnailUrl,
    creator: { '@type': 'Person', name: author },
    creditText: author,
    copyrightNotice: author,
    ...(licenceUrl !== undefined && { license: licenceUrl, acquireLicensePage: licenceUrl }),
    contentLocation: { '@type': 'Place', name: trail.name, url: trail.url },
  }
}

/** A data block, which is never executed, and which its content cannot close. */
export function structured(data: readonly StructuredData[]): Html {
  if (data.length === 0) return html``
  const text = JSON.stringify({ '@context': 'https://schema.org', '@graph': data })
  return html`<script type="application/ld+json">
    ${rendered(text.replaceAll('<', String.raw`\u003c`))}
  </script>`
}
