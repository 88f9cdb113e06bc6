// Which photos are shown and how: all of it is in the URL.
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { Image } from '../../../client/client.ts'
import { photoStrings } from '../../strings/photos.ts'

export const tabs = ['all', 'pending', 'approved', 'rejected', 'removed', 'trash'] as const
export type Tab = (typeof tabs)[number]
export type View = 'grid' | 'list'

export interface PhotoFilters {
  readonly tab: Tab
  readonly q: string
  readonly view: View
  /** imageID of the open photo. */
  readonly photo: number | undefined
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** The URL may also say `listed`, the usual word for `approved`. */
function tabOf(text: string): Tab {
  if (text === 'listed') return 'approved'
  return tabs.find((tab) => tab === text) ?? 'all'
}

export function usePhotoFilters() {
  const navigate = useNavigate()
  const search: Record<string, unknown> = useSearch({ strict: false })
  const photo = Number(textOf(search['photo']))
  const filters: PhotoFilters = {
    tab: tabOf(textOf(search['status'])),
    q: textOf(search['q']),
    view: search['view'] === 'list' ? 'list' : 'grid',
    photo: Number.isSafeInteger(photo) && photo > 0 ? photo : undefined,
  }
  const searchFor = (change: Partial<PhotoFilters>): Record<string, string | undefined> => {
    const next = { ...filters, ...change }
    return {
      status: next.tab === 'all' ? undefined : next.tab,
      q: next.q === '' ? undefined : next.q,
      view: next.view === 'grid' ? undefined : next.view,
      photo: next.photo === undefined ? undefined : String(next.photo),
    }
  }
  return {
    filters,
    searchFor,
    filter: (change: Partial<PhotoFilters>, { isStep = false } = {}) =>
      void navigate({ to: '/photos', search: searchFor(change), replace: !isStep }),
  }
}

const holds = (text: string, strings: readonly string[]): boolean => {
  const lower = text.toLowerCase()
  return strings.every((word) => lower.includes(word))
}

/** The photos of the tab whose title, caption and trail contain every word. */
export function shownImages(
  images: readonly Image[],
  { tab, q }: Pick<PhotoFilters, 'tab' | 'q'>,
): readonly Image[] {
  const strings = q.toLowerCase().split(/\s+/).filter(Boolean)
  return images.filter(
    (image) =>
      (tab === 'all' || image.status === tab) &&
      holds(`${image.title} ${image.caption} ${image.trailName}`, strings),
  )
}

export function countByTab(
  images: readonly Image[],
  trashed: number | undefined,
): Readonly<Record<Tab, number | undefined>> {
  const counts = { all: images.length, pending: 0, approved: 0, rejected: 0, removed: 0, trash: trashed }
  for (const { status } of images) counts[status] += 1
  return counts
}

export const titleOf = ({ title }: Pick<Image, 'title'>): string =>
  title.trim() === '' ? photoStrings.untitled : title

export const statusWord = ({ status, edited }: Pick<Image, 'status' | 'edited'>): string =>
  photoStrings.status[status === 'approved' && edited ? 'edited' : status] ?? status
