// The loaded pages of public photos, and how to update one photo without fetching all of them again.
import type { InfiniteData } from '@tanstack/react-query'
import type { Image, Page } from '../../../client/client.ts'

export type ListedPages = InfiniteData<Page<Image>, string | null>

const isBefore = (one: Image, other: Image): boolean => one.postedAt <= other.postedAt

/** Removes a photo that is no longer public. */
export function without(data: ListedPages, imageId: number): ListedPages {
  const pages = data.pages.map((page) =>
    page.items.some(({ imageID }) => imageID === imageId)
      ? { ...page, items: page.items.filter(({ imageID }) => imageID !== imageId) }
      : page,
  )
  return { ...data, pages }
}

/**
 * With the photo at its position by upload order, or updated in place. A photo of pages that are not loaded yet is left
 * out.
 */
export function withImage(data: ListedPages, image: Image): ListedPages {
  const isThere = data.pages.some(({ items }) => items.some(({ imageID }) => imageID === image.imageID))
  if (isThere) {
    const replaced = (other: Image): Image => (other.imageID === image.imageID ? image : other)
    return { ...data, pages: data.pages.map((page) => ({ ...page, items: page.items.map(replaced) })) }
  }
  const at = data.pages.findIndex(({ items, next }) => {
    const last = items.at(-1)
    return next === null || (last !== undefined && isBefore(image, last))
  })
  const page = data.pages[at]
  if (page === undefined) return data
  const place = page.items.findIndex((other) => !isBefore(other, image))
  const items = page.items.toSpliced(place === -1 ? page.items.length : place, 0, image)
  return { ...data, pages: data.pages.with(at, { ...page, items }) }
}
