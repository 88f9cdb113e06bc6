// HTML for other people's pages. Titles are user input: whatever they contain stays text.
import type { Image } from '../../../client/client.ts'
import { galleryStrings } from '../../strings/gallery.ts'

const named: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

export const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => named[character] ?? character)

interface Picture {
  readonly image: Pick<Image, 'urls' | 'displayName' | 'width' | 'height' | 'caption'>
  readonly title: string
  /** URL of the photo in its gallery. */
  readonly address: string
}

/** Pixels of size 640, to reserve space before the picture loads. */
function shownSize({ width, height }: Pick<Image, 'width' | 'height'>) {
  const share = Math.min(1, 640 / Math.max(width, height, 1))
  return { width: Math.round(width * share), height: Math.round(height * share) }
}

export function pictureSnippet({ image, title, address }: Picture): string {
  const { width, height } = shownSize(image)
  const source = escapeHtml(image.urls[640])
  const strings = escapeHtml(image.caption || title)
  return `<figure>
  <a href="${escapeHtml(address)}"><img src="${source}" alt="${strings}" width="${width}" height="${height}" loading="lazy"></a>
  <figcaption>${escapeHtml(galleryStrings.credit(title, image.displayName))}</figcaption>
</figure>`
}

export const frameSnippet = ({
  address,
  title,
}: {
  readonly address: string
  readonly title: string
}): string =>
  `<iframe src="${escapeHtml(address)}" title="${escapeHtml(title)}" width="640" height="520" loading="lazy" style="border:0;max-width:100%"></iframe>`
