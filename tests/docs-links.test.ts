// Every link within the repository leads to an existing file, folder or heading.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'

const root = path.resolve(import.meta.dirname, '..')

/** The anchor of a heading, as GitHub makes it. */
const anchorOf = (heading: string): string =>
  heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-')

const withoutFences = (text: string): string => text.replaceAll(/^```[\s\S]*?^```/gm, '')

function anchorsIn(text: string): ReadonlySet<string> {
  const seen = new Map<string, number>()
  return new Set(
    [...withoutFences(text).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => {
      const anchor = anchorOf(heading)
      const times = seen.get(anchor) ?? 0
      seen.set(anchor, times + 1)
      return times === 0 ? anchor : `${anchor}-${times}`
    }),
  )
}

/**
 * @returns a sentence for each broken link.
 * @param file path of the text from the root.
 */
function brokenLinks(file: string, text: string): string[] {
  const links = [...withoutFences(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)
  return links.flatMap((link) => {
    if (/^[a-z]+:/.test(link)) return []
    const [place = '', anchor] = link.split('#')
    const target = place === '' ? file : path.join(path.dirname(file), decodeURI(place))
    const whole = path.join(root, target)
    if (!existsSync(whole)) return [`${file} links to ${link}, which does not exist`]
    if (anchor === undefined || !target.endsWith('.md')) return []
    const isThere = anchorsIn(place === '' ? text : readFileSync(whole, 'utf8')).has(anchor)
    return isThere ? [] : [`${file} links to ${link}, which has no such heading`]
  })
}

const documents = execFileSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((file) => file !== '' && existsSync(path.join(root, file)))

void test('every internal link of the documentation works', () => {
  assert.ok(documents.length > 100, `${documents.length} documents`)
  assert.deepEqual(
    documents.flatMap((file) => brokenLinks(file, readFileSync(path.join(root, file), 'utf8'))),
    [],
  )
})

void test('a broken link is found', () => {
  const text = '# One thing\n\n[a](#one-thing) [b](#two) [c](docs/none.md) [d](README.md#nothing) [e](docs)\n'
  assert.deepEqual(brokenLinks('CHANGELOG.md', text), [
    'CHANGELOG.md links to #two, which has no such heading',
    'CHANGELOG.md links to docs/none.md, which does not exist',
    'CHANGELOG.md links to README.md#nothing, which has no such heading',
  ])
})
