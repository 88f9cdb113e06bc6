// Finds guides and their sections by words in headings: matches in titles first.
import type { GuideInfo } from './guide-list.ts'

export interface FoundPlace {
  readonly guide: string
  readonly title: string
  /** Anchor of the heading; empty for the guide itself. */
  readonly id: string
  readonly text: string
}

const maxFound = 60

/** Every word must be in the heading, or in the heading and the guide's title together. */
export function findInGuides(guides: readonly GuideInfo[], sought: string): FoundPlace[] {
  const strings = sought
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  if (strings.length === 0) return []
  const has = (text: string): boolean => strings.every((word) => text.toLowerCase().includes(word))
  const titles = guides.flatMap(({ name, title }) =>
    has(`${title} ${name}`) ? [{ guide: name, title, id: '', text: title }] : [],
  )
  const parts = guides.flatMap(({ name, title, headings }) =>
    headings.flatMap(({ id, text }) => {
      const isFound = has(text) || (!has(title) && has(`${text} ${title}`))
      return isFound ? [{ guide: name, title, id, text }] : []
    }),
  )
  return [...titles, ...parts].slice(0, maxFound)
}
