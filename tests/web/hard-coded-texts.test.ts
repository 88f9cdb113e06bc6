// Components of the web app contain no texts: all are in catalogues for translation.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { parseAst } from 'vite'

const root = path.resolve(import.meta.dirname, '../../web')

/** What people read or hear of an element besides the text in it. */
const readAttributes = new Set([
  'alt',
  'aria-description',
  'aria-label',
  'aria-roledescription',
  'aria-valuetext',
  'description',
  'error',
  'label',
  'legend',
  'placeholder',
  'title',
])

/** Names, and examples of what is typed, which are the same in every language. */
const untranslated: ReadonlySet<string> = new Set(['https://example.org/waymark'])

type Part = Readonly<Record<string, unknown>>

const isPart = (value: unknown): value is Part => typeof value === 'object' && value !== null

const hasWord = (text: unknown): text is string =>
  typeof text === 'string' && /\p{L}{2}/u.test(text) && !untranslated.has(text.trim())

/** The texts that an expression may come to: of a choice, either; of a template, what is around its values. */
function textsOf(value: unknown): string[] {
  if (!isPart(value)) return []
  const { type } = value
  if (type === 'Literal') return hasWord(value['value']) ? [value['value']] : []
  if (type === 'JSXExpressionContainer') return textsOf(value['expression'])
  if (type === 'ConditionalExpression')
    return [...textsOf(value['consequent']), ...textsOf(value['alternate'])]
  if (type === 'LogicalExpression') return [...textsOf(value['left']), ...textsOf(value['right'])]
  if (type !== 'TemplateLiteral') return []
  const quasis = value['quasis'] as readonly { readonly value: { readonly cooked: string } }[]
  return quasis.map((quasi) => quasi.value.cooked).filter(hasWord)
}

function hardCoded(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(hardCoded)
  if (!isPart(value)) return []
  const below = Object.values(value).flatMap(hardCoded)
  const { type } = value
  if (type === 'JSXText') return hasWord(value['value']) ? [value['value'].trim(), ...below] : below
  if (type === 'JSXAttribute') {
    const name = isPart(value['name']) ? value['name']['name'] : undefined
    return typeof name === 'string' && readAttributes.has(name)
      ? [...textsOf(value['value']), ...below]
      : below
  }
  if (type !== 'JSXElement' && type !== 'JSXFragment') return below
  const children = (value['children'] as readonly Part[]).filter((child) => child['type'] !== 'JSXText')
  return [...children.flatMap(textsOf), ...below]
}

void test('every text in a component comes from a catalogue', () => {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.tsx'),
  )
  assert.ok(files.length > 100)
  const found = files.flatMap((name) =>
    hardCoded(parseAst(readFileSync(path.join(root, name), 'utf8'), { lang: 'tsx' })).map(
      (text) => `${name}: ${text}`,
    ),
  )
  assert.deepEqual(found, [])
})

void test('a text written in a component is detected', () => {
  const left = (source: string) => hardCoded(parseAst(`const x = ${source}`, { lang: 'tsx' }))
  assert.deepEqual(left('<p>Save it</p>'), ['Save it'])
  assert.deepEqual(left('<p>{busy ? "Saving" : strings.save}</p>'), ['Saving'])
  assert.deepEqual(left('<img alt={`Photo of ${name}`} />'), ['Photo of '])
  assert.deepEqual(left('<Button title="Save" variant="filled" />'), ['Save'])
  assert.deepEqual(left('<p id="main">{words.save} · {count} × </p>'), [])
})
