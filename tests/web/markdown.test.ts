// Users' Markdown, parsed and rendered: allowed links, plain text, and nothing executable.
import assert from 'node:assert/strict'
import { performance } from 'node:perf_hooks'
import { test } from 'node:test'
import { addressIn, decoded } from '../../web/ui/markdown/markdown-text.ts'
import { readMarkdown, type Block, type Inline } from '../../web/ui/markdown/markdown-tokens.ts'

const text = (value: string): Inline => ({ kind: 'text', text: value })
const paragraph = (...inner: readonly Inline[]): Block => ({ kind: 'paragraph', inner })

/** Every address that is linked to, wherever it is in the text. */
function hrefsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(hrefsIn)
  if (typeof value !== 'object' || value === null) return []
  const own = 'href' in value && typeof value.href === 'string' ? [value.href] : []
  return [...own, ...Object.values(value).flatMap(hrefsIn)]
}

/** As somebody reads it. */
function wordsIn(value: unknown): string {
  if (Array.isArray(value)) return value.map(wordsIn).join('')
  if (typeof value !== 'object' || value === null) return ''
  if ('text' in value && typeof value.text === 'string') return value.text
  return Object.values(value).map(wordsIn).join('')
}

void test('paragraphs, headings, lists, quotes, code, rules and emphasis', () => {
  assert.deepEqual(readMarkdown('A **loop** around\nthe *lake*.  \nSteep.\n\n---\n\n    as it is\n'), [
    paragraph(
      text('A '),
      { kind: 'strong', inner: [text('loop')] },
      text(' around\nthe '),
      { kind: 'em', inner: [text('lake')] },
      text('.'),
      { kind: 'break' },
      text('Steep.'),
    ),
    { kind: 'rule' },
    { kind: 'code', text: 'as it is' },
  ])
  assert.deepEqual(readMarkdown('3. up\n4. down\n\n> Closed in *winter*\n'), [
    { kind: 'list', start: 3, items: [[paragraph(text('up'))], [paragraph(text('down'))]] },
    {
      kind: 'quote',
      blocks: [paragraph(text('Closed in '), { kind: 'em', inner: [text('winter')] })],
    },
  ])
  const [list] = readMarkdown('- one\n  - within\n- two\n')
  assert.equal(list?.kind === 'list' ? list.items[0]?.[1]?.kind : '', 'list')
  assert.deepEqual(readMarkdown(''), [])
})

void test('a heading is never more than one level below the one before it, whatever was typed', () => {
  const levels = readMarkdown('### c\n\n###### f\n\n# a\n\n#### d\n\n## b\n').map((block) =>
    block.kind === 'heading' ? block.level : NaN,
  )
  assert.deepEqual(levels, [1, 2, 1, 2, 2])
})

void test('CommonMark only: no tables, no strikethrough, no automatic links', () => {
  for (const typed of ['| a | b |\n|---|---|\n| 1 | 2 |', '~~gone~~', 'https://example.org/', '- [ ] to do'])
    assert.deepEqual(hrefsIn(readMarkdown(typed)), [], typed)
  assert.deepEqual(hrefsIn(readMarkdown('<https://example.org/a>')), ['https://example.org/a'])
})

/** What may be written, what of it is linked to, and what is read; undefined where only the links count. */
const hostile: readonly (readonly [typed: string, hrefs: readonly string[], words?: string])[] = [
  ['[site](https://example.org/a?b=1&amp;c=2)', ['https://example.org/a?b=1&c=2'], 'site'],
  ['[mail](mailto:ana@example.org)', ['mailto:ana@example.org'], 'mail'],
  ['[a](javascript:alert(1))', [], 'a'],
  ['[a](JaVaScRiPt:alert(1))', [], 'a'],
  ['[a](javascript&#58;alert(1))', [], 'a'],
  ['[a](&#106;avascript:alert(1))', [], 'a'],
  ['[a](<java\tscript:alert(1)>)', [], 'a'],
  ['[a](<\u0001javascript:alert(1)>)', [], 'a'],
  ['[a](https://example.org\u007f)', []],
  ['[a](data:text/html,<script>alert(1)</script>)', []],
  ['[a](vbscript:msgbox)', [], 'a'],
  ['[a](file:///etc/passwd)', [], 'a'],
  ['[a](//example.org/x)', [], 'a'],
  ['[a](/account/keys)', [], 'a'],
  ['[a](?as=others)', [], 'a'],
  ['[a](#main)', [], 'a'],
  ['[a](blob:https://example.org/x)', [], 'a'],
  ['<javascript:alert(1)>', []],
  ['[a]: javascript:alert(1)\n\n[a]', [], 'a'],
  ['[a]: https://example.org/ref\n\n[a]', ['https://example.org/ref'], 'a'],
  ['![view](https://example.org/p.jpg)', ['https://example.org/p.jpg'], 'view'],
  ['![view](javascript:alert(1))', [], 'view'],
  ['![](data:image/png;base64,AAAA)', [], 'data:image/png;base64,AAAA'],
  ['[![x](javascript:a)](https://example.org/y)', ['https://example.org/y'], 'x'],
  ['<script>alert(1)</script>', [], '<script>alert(1)</script>'],
  ['a <b onclick="x()">b</b>', [], 'a <b onclick="x()">b</b>'],
  ['<img src=x onerror=alert(1)>', [], '<img src=x onerror=alert(1)>'],
  ['<a href="javascript:alert(1)">x</a>', [], '<a href="javascript:alert(1)">x</a>'],
  ['<!-- hidden -->', [], '<!-- hidden -->'],
  ['`<script>`', [], '<script>'],
  ['    <script>', [], '<script>'],
  ['&lt;script&gt;', [], '<script>'],
  ['&#60;b&#62; &amp;lt; &unknown; &#0;', [], '<b> &lt; &unknown; \ufffd'],
  ['\\<b\\> \\[x\\](https://example.org)', [], '<b> [x](https://example.org)'],
]

void test('hostile texts: only http, https and mailto are linked, and everything else is text', () => {
  for (const [typed, hrefs, words] of hostile) {
    const blocks = readMarkdown(typed)
    assert.deepEqual(hrefsIn(blocks), hrefs, typed)
    if (words !== undefined) assert.equal(wordsIn(blocks), words, typed)
  }
})

void test('entities are decoded once', () => {
  assert.equal(decoded('&amp;amp; &#x26;amp; &auml;'), '&amp; &amp; ä'.replace('&amp; ä', '& ä'))
  assert.equal(decoded('&constructor; &toString;'), '&constructor; &toString;')
  assert.equal(addressIn('https://example.org/ä'), 'https://example.org/%C3%A4')
  assert.equal(addressIn(''), undefined)
})

void test('20,000 characters crafted to be slow or deeply nested are read in time', () => {
  const repeated = (part: string): string => part.repeat(Math.floor(20_000 / part.length))
  const slow = [
    '[',
    '![',
    '*a ',
    '**a *b ',
    '> ',
    '- ',
    '`',
    '<',
    '&',
    '_a__',
    '[a](',
    '\\',
    '~',
    '1. ',
    '(',
    '<a ',
    '"',
    '*a**b[',
    '**x',
    '[a](b)',
  ]
  const texts = [...slow.map(repeated), `${'*'.repeat(10_000)}a${'*'.repeat(9_999)}`]
  for (const typed of texts) {
    const part = typed.slice(0, 6)
    const start = performance.now()
    const blocks = readMarkdown(typed)
    const tookMs = performance.now() - start
    assert.ok(tookMs < 3_000, `${part}: ${Math.round(tookMs)} ms`)
    assert.ok(Array.isArray(blocks))
  }
})

void test('a text of nothing but markup characters is shown as typed, since pairing them takes quadratic time', () => {
  const typed = `${'*'.repeat(10_000)}a${'*'.repeat(9_999)}`
  assert.deepEqual(readMarkdown(typed), [paragraph(text(typed))])
  const [many] = readMarkdown('**bold** '.repeat(400))
  assert.equal(many?.kind === 'paragraph' ? many.inner[0]?.kind : '', 'strong')
})
