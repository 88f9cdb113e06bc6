// What people write in Markdown (CommonMark), read into the few kinds of parts that a page shows. Nothing of it is ever HTML.
import { Lexer, type Token, type Tokens } from 'marked'
import { addressIn, decoded } from './markdown-text.ts'

export type Inline =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'break' }
  | { readonly kind: 'strong' | 'em'; readonly inner: readonly Inline[] }
  | { readonly kind: 'link'; readonly href: string; readonly inner: readonly Inline[] }

export type Block =
  | { readonly kind: 'paragraph'; readonly inner: readonly Inline[] }
  /** `level` counts from 1, and never skips one: a page has headings of its own above it. */
  | { readonly kind: 'heading'; readonly level: number; readonly inner: readonly Inline[] }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'rule' }
  | { readonly kind: 'quote'; readonly blocks: readonly Block[] }
  | {
      readonly kind: 'list'
      readonly start: number | undefined
      readonly items: readonly (readonly Block[])[]
    }

/** Quotes in quotes in lists: deeper ones are shown as they were typed. */
const maxDepth = 12

const text = (value: string): Inline => ({ kind: 'text', text: value })

function inlineOf(token: Token, depth: number): readonly Inline[] {
  const inner = (): readonly Inline[] => inlinesOf((token as Tokens.Generic).tokens ?? [], depth + 1)
  if (depth > maxDepth) return [text(token.raw)]
  switch (token.type) {
    case 'text':
    case 'escape': {
      const { tokens, text: plain } = token as Tokens.Text
      return tokens && tokens.length > 0 ? inlinesOf(tokens, depth + 1) : [text(decoded(plain))]
    }
    case 'strong':
    case 'em':
      return [{ kind: token.type, inner: inner() }]
    case 'codespan':
      return [{ kind: 'code', text: (token as Tokens.Codespan).text }]
    case 'br':
      return [{ kind: 'break' }]
    case 'link': {
      const href = addressIn((token as Tokens.Link).href)
      return href === undefined ? inner() : [{ kind: 'link', href, inner: inner() }]
    }
    case 'image': {
      // Pictures of other sites would tell them who reads the page.
      const { href: source, text: alt } = token as Tokens.Image
      const href = addressIn(source)
      const words = [text(decoded(alt) || decoded(source))]
      return href === undefined ? words : [{ kind: 'link', href, inner: words }]
    }
    default:
      return [text(token.raw)]
  }
}

const inlinesOf = (tokens: readonly Token[], depth: number): readonly Inline[] =>
  tokens.flatMap((token) => inlineOf(token, depth))

interface Reading {
  /** Depths of the headings that the next one may stand below. */
  readonly headings: number[]
}

function levelOf(depth: number, { headings }: Reading): number {
  while ((headings.at(-1) ?? 0) >= depth) headings.pop()
  headings.push(depth)
  return headings.length
}

function blockOf(token: Token, depth: number, reading: Reading): readonly Block[] {
  const inner = (): readonly Inline[] => inlinesOf((token as Tokens.Generic).tokens ?? [], 0)
  const asTyped = (): readonly Block[] => [{ kind: 'paragraph', inner: [text(token.raw.trim())] }]
  if (depth > maxDepth) return asTyped()
  switch (token.type) {
    case 'space':
    case 'def':
      return []
    case 'heading':
      return [{ kind: 'heading', level: levelOf((token as Tokens.Heading).depth, reading), inner: inner() }]
    case 'paragraph':
      return [{ kind: 'paragraph', inner: inner() }]
    case 'text':
      return [{ kind: 'paragraph', inner: inlineOf(token, 0) }]
    case 'code':
      return [{ kind: 'code', text: (token as Tokens.Code).text.replace(/\n$/, '') }]
    case 'hr':
      return [{ kind: 'rule' }]
    case 'blockquote':
      return [{ kind: 'quote', blocks: blocksOf((token as Tokens.Blockquote).tokens, depth + 1, reading) }]
    case 'list': {
      const { ordered, start, items } = token as Tokens.List
      return [
        {
          kind: 'list',
          start: ordered ? Number(start) || 1 : undefined,
          items: items.map(({ tokens }) => blocksOf(tokens, depth + 1, reading)),
        },
      ]
    }
    default:
      return asTyped()
  }
}

const blocksOf = (tokens: readonly Token[], depth: number, reading: Reading): readonly Block[] =>
  tokens.flatMap((token) => blockOf(token, depth, reading))

/** Twice as many take the reader four times as long: ten thousand a second or more. No text of 20,000 characters needs as many. */
const maxMarks = 2_000

function hasTooManyMarks(markdown: string): boolean {
  let count = 0
  for (const character of markdown)
    if (character === '*' || character === '_' || character === '[') count += 1
  return count > maxMarks
}

/** As it was typed, but for the lines between paragraphs. */
const plainBlocks = (markdown: string): readonly Block[] =>
  markdown.split(/\n{2,}/).map((part) => ({ kind: 'paragraph', inner: [text(part)] }))

/** Within some 100 ms, whatever was typed: pages are rendered one at a time (web/server.tsx). */
export function readMarkdown(markdown: string): readonly Block[] {
  if (hasTooManyMarks(markdown)) return plainBlocks(markdown)
  try {
    return blocksOf(new Lexer({ gfm: false, breaks: false, pedantic: false }).lex(markdown), 0, {
      headings: [],
    })
  } catch (error) {
    // Thousands of quotes within one another are deeper than the stack.
    if (error instanceof RangeError) return plainBlocks(markdown)
    throw error
  }
}
