// The description of a trail: its beginning, and a long rest in a disclosure that works without scripts.
import { useMemo } from 'react'
import { galleryStrings } from '../../../strings/gallery.ts'
import { MarkdownBlocks } from '../../../ui/markdown/markdown.tsx'
import markdown from '../../../ui/markdown/markdown.module.css'
import { readMarkdown, type Block } from '../../../ui/markdown/markdown-tokens.ts'
import styles from './trail.module.css'

/** About what a phone shows beside the picture. */
const shownCharacters = 450
/** A disclosure for less than this would be a nuisance. */
const minHiddenCharacters = 200

function lengthOf(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (Array.isArray(value)) return value.reduce((sum: number, one) => sum + lengthOf(one), 0)
  return typeof value === 'object' && value !== null ? lengthOf(Object.values(value)) : 0
}

/** Whole blocks; the first is always shown, however long it is. */
function parted(blocks: readonly Block[]): readonly [shown: readonly Block[], hidden: readonly Block[]] {
  let characters = 0
  const end = blocks.findIndex((block, at) => {
    characters += lengthOf(block)
    return at > 0 && characters > shownCharacters
  })
  const hidden = end === -1 ? [] : blocks.slice(end)
  return lengthOf(hidden) < minHiddenCharacters ? [blocks, []] : [blocks.slice(0, end), hidden]
}

export function Description({ text }: { readonly text: string }) {
  const [shown, hidden] = useMemo(() => parted(readMarkdown(text)), [text])
  if (shown.length === 0) return null
  return (
    <section className={`${styles.section} ${styles.text}`} aria-labelledby="trail-text">
      <h2 id="trail-text">{galleryStrings.about}</h2>
      <div className={markdown.markdown}>
        <MarkdownBlocks blocks={shown} below={2} />
        {hidden.length > 0 && (
          <details>
            <summary>{galleryStrings.readMore}</summary>
            <MarkdownBlocks blocks={hidden} below={2} />
          </details>
        )}
      </div>
    </section>
  )
}
