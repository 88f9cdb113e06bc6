// Input cannot make any shipped expression slow (trust 60). And proves that it can fail.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findExpressions, type Expression } from './expressions.ts'
import { readJson, readTexts } from './project.ts'
import { danger, redosViolations, worstTimeMs, type Reviewed } from './redos-rules.ts'

const sources = /\.(?:ts|tsx|cjs|mjs|js)$/

/** Of 20,000 characters: quadratic time is over half a second, linear time a few milliseconds. */
const linearMs = 100

async function readReviewed(): Promise<Reviewed[]> {
  return ((await readJson('docs/supply-chain/expressions.json')) as { reviewed: Reviewed[] }).reviewed
}

void test('trust 60: no regular expression can be made slow by its input', async () => {
  const texts = await readTexts(['src', 'cli', 'bin', 'client', 'web'], sources)
  const expressions = findExpressions(texts)
  assert.ok(expressions.known.length > 50, `only ${expressions.known.length} expressions were found`)
  const remedy = 'mend it, or say in docs/supply-chain/expressions.json why it is harmless'
  assert.deepEqual(redosViolations(expressions, await readReviewed()), [], remedy)
})

void test('trust 60: expressions reviewed as linear are linear on their worst input', async () => {
  const slow = (await readReviewed()).filter((review) => worstTimeMs(review) > linearMs)
  assert.deepEqual(slow, [])
})

const written: readonly [string, string, readonly string[]][] = [
  ['src/literal.ts', 'const a: RegExp = /x+/gi; const b = 4 / 2 / 1', ['x+ gi']],
  ['src/deep.ts', 'if (/[/]"/.test("/no/")) f(`${/deep/u.source}`)', ['[/]" ', 'deep u']],
  ['src/called.ts', "new RegExp('a+', 'g'); RegExp(`b`); new RegExp(/c/)", ['a+ g', 'b ', 'c ']],
  ['src/text.ts', "t.match('d+'); t.matchAll('e'); t.search('f'); t.match(h)", ['d+ ', 'e g', 'f ']],
  ['src/schema.ts', "Type.String({ pattern: '^h+$' })", ['^h+$ u']],
  ['src/none.ts', '// const a = /x+/\nconst b = "/y/"', []],
  ['web/page.tsx', 'const a = <p title="/no/">{/z/.test("") ? 1 : 2}</p>', ['z ']],
  ['bin/old.cjs', 'var a = /q+/; module.exports = a', ['q+ ']],
]

void test('expressions are found wherever they are written', () => {
  const { known } = findExpressions(new Map(written.map(([file, text]) => [file, text])))
  for (const [file, , expected] of written) {
    const found = known.filter((one) => one.file === file).map(({ pattern, flags }) => `${pattern} ${flags}`)
    assert.deepEqual(found, expected, file)
  }
})

void test('an expression built at run time is reported, since it cannot be checked', () => {
  const text = 'const a = (word: string) => new RegExp(`^${word}+$`)'
  const { known, built } = findExpressions(new Map([['src/a.ts', text]]))
  assert.deepEqual([known.length, built.length], [0, 1])
  assert.match(
    redosViolations({ known, built }, []).join('\n'),
    /src\/a\.ts builds an expression at run time/,
  )
})

const expression = (pattern: string, flags = ''): Expression => ({ file: 'src/a.ts', pattern, flags })

const dangerous: readonly [string, string, RegExp][] = [
  ['^(a+)+$', '', /slow/],
  ['^(?:a|a){30}$', '', /slow/],
  ['^(?:a?){25}a{25}$', '', /slow/],
  ['^(\\w+\\s?)*$', '', /slow/],
  ['\\s+$', '', /slow/],
  ['^\\d+\\.?\\d*$', '', /slow/],
  ['^a*A*$', 'i', /slow/],
  ['^.*\\n*x$', 's', /slow/],
  ['(?=a*b)a', '', /looks around/],
  ['(?<!a+)b', '', /looks around/],
  ['(?<name>a)', '', /cannot be judged/],
  ['[\\p{L}--[a-z]]', 'v', /cannot be judged/],
]

for (const [pattern, flags, expected] of dangerous) {
  void test(`the expression check finds /${pattern}/${flags}`, () => {
    assert.match(danger(expression(pattern, flags)) ?? '', expected)
  })
}

void test('harmless expressions pass; a sticky one is tried at one position only', () => {
  for (const pattern of ['^[a-z0-9]+(?:[./][a-z0-9]+)*$', '^\\d+(?:\\.\\d*)?$', '[&<>]', '^https?:'])
    assert.equal(danger(expression(pattern)), undefined)
  assert.match(danger(expression('[a-z]+ ')) ?? '', /slow/)
  assert.equal(danger(expression('[a-z]+ ', 'y')), undefined)
})

void test('a review applies to one expression in one file, gives one reason, and must be needed', () => {
  const known = [expression('\\s+$')]
  const review: Reviewed = { file: 'src/a.ts', expression: '/\\s+$/', because: 'short', maxCharacters: 9 }
  const sentences = (...reviewed: Reviewed[]) => redosViolations({ known, built: [] }, reviewed).join('\n')
  assert.equal(sentences(review), '')
  assert.match(
    sentences({ ...review, file: 'src/b.ts' }),
    /src\/a\.ts has \/\\s\+\$\/, which can be made slow/,
  )
  assert.match(sentences(review, { ...review, expression: '/^a$/' }), /review of \/\^a\$\/ .* not needed/)
  assert.match(sentences({ ...review, operatorsOwn: true }), /states no one reason/)
})

void test('a review that calls a quadratic expression linear is detected', () => {
  const claim = (linearOn: Reviewed['linearOn']): Reviewed => ({
    file: 'src/a.ts',
    expression: '/0+$/',
    because: 'a claim',
    ...(linearOn === undefined ? {} : { linearOn }),
  })
  assert.ok(worstTimeMs(claim([{ pump: '1' }])) < linearMs)
  assert.ok(worstTimeMs(claim([{ pump: '0', end: 'x' }])) > linearMs)
})
