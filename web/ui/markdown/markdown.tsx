// Markdown that somebody wrote, as elements of the page: headings below the page's own, links that vouch for nothing.
import { createElement, Fragment, memo, useMemo, type ReactNode } from 'react'
import { readMarkdown, type Block, type Inline } from './markdown-tokens.ts'
import styles from './markdown.module.css'

const lastHeading = 6

/** As children of their own, which need no keys: a text is drawn anew as a whole. */
const inside = (name: string, parts: readonly Inline[]): ReactNode =>
  createElement(name, null, ...parts.map(inlineNode))

function inlineNode(part: Inline): ReactNode {
  switch (part.kind) {
    case 'text':
      return part.text
    case 'code':
      return <code>{part.text}</code>
    case 'break':
      return <br />
    case 'strong':
    case 'em':
      return inside(part.kind, part.inner)
    case 'link': {
      const props = { href: part.href, rel: 'nofollow ugc noopener' }
      return createElement('a', props, ...part.inner.map(inlineNode))
    }
  }
}

function blockNode(block: Block, below: number): ReactNode {
  const nodes = (blocks: readonly Block[]): ReactNode[] => blocks.map((one) => blockNode(one, below))
  switch (block.kind) {
    case 'paragraph':
      return inside('p', block.inner)
    case 'heading':
      return inside(`h${Math.min(lastHeading, below + block.level)}`, block.inner)
    case 'code':
      return (
        <pre>
          <code>{block.text}</code>
        </pre>
      )
    case 'rule':
      return <hr />
    case 'quote':
      return createElement('blockquote', null, ...nodes(block.blocks))
    case 'list': {
      const items = block.items.map((blocks) => createElement('li', null, ...itemNodes(blocks, below)))
      return block.start === undefined
        ? createElement('ul', null, ...items)
        : createElement('ol', { start: block.start }, ...items)
    }
  }
}

/** A line of a list is no paragraph. */
const itemNodes = ([first, ...others]: readonly Block[], below: number): readonly ReactNode[] => [
  ...(first?.kind === 'paragraph' ? first.inner.map(inlineNode) : []),
  ...(first === undefined || first.kind === 'paragraph' ? others : [first, ...others]).map((block) =>
    blockNode(block, below),
  ),
]

interface MarkdownBlocksProps {
  readonly blocks: readonly Block[]
  /** The level of the page's heading that the text stands below. */
  readonly below: number
}

export function MarkdownBlocks({ blocks, below }: MarkdownBlocksProps) {
  return createElement(Fragment, null, ...blocks.map((block) => blockNode(block, below)))
}

interface MarkdownProps {
  readonly text: string
  readonly below: number
}

export const Markdown = memo(function Markdown({ text, below }: MarkdownProps) {
  const blocks = useMemo(() => readMarkdown(text), [text])
  return (
    <div className={styles.markdown}>
      <MarkdownBlocks blocks={blocks} below={below} />
    </div>
  )
})
