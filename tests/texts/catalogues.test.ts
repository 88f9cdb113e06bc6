// The catalogues of all languages: the same keys and tags, and no text left in English.
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { describe, it } from 'node:test'
import { languages } from '../../src/shared/languages.ts'
import { scopeSentences } from '../../src/shared/scope-sentences.ts'
import { toolsOf } from '../../src/shared/text/plurals.ts'
import { textsIn } from '../../src/texts/texts.ts'

/** Texts that are the same in both languages, looked at one by one. */
const sameInGerman = new Set([
  'API',
  'Accept',
  'Admin',
  'Backup',
  'Body',
  'Bytes.',
  'Code',
  'Details',
  'Format',
  'Links',
  'Logo',
  'Name',
  'Optional',
  'Passkeys',
  'README.txt',
  'Scopes',
  'Server',
  'Slug',
  'Start',
  'Status',
  'System',
  'URL',
  'Uploads',
  'Version',
  'Webhooks',
  'account.json',
  'acctID',
  'details (JSON)',
  'images.json',
  'photos/',
  'routes.json, routes/',
  'trailID',
])

type Leaf = readonly [path: string, value: unknown]

/** Every text and every function of texts, by its path. */
function leavesOf(value: unknown, at = ''): Leaf[] {
  if (typeof value !== 'object' || value === null) return [[at, value]]
  return Object.entries(value).flatMap(([key, one]) => leavesOf(one, at === '' ? key : `${at}.${key}`))
}

const tagsOf = (text: string): string[] => (text.match(/<\/?\w+\/?>/g) ?? []).toSorted()
const parametersOf = (value: unknown): number => (typeof value === 'function' ? value.length : -1)

function compare(english: readonly Leaf[], other: readonly Leaf[]): void {
  const others = new Map(other)
  const same = new Set<string>()
  assert.deepEqual(other.map(([at]) => at).toSorted(), english.map(([at]) => at).toSorted())
  for (const [at, value] of english) {
    const translated = others.get(at)
    assert.equal(typeof translated, typeof value, at)
    if (typeof value !== 'string' || typeof translated !== 'string') {
      assert.ok(parametersOf(translated) <= Math.max(parametersOf(value), 0), at)
      continue
    }
    assert.deepEqual(tagsOf(translated), tagsOf(value), at)
    if (/\p{L}{3}/u.test(value) && translated === value) same.add(value)
  }
  assert.deepEqual(
    [...same].filter((text) => !sameInGerman.has(text)),
    [],
  )
}

void describe('server texts', () => {
  for (const language of languages.filter((name) => name !== 'en')) {
    it(`has everything in ${language}`, () => {
      const { refusals, ...english } = textsIn('en')
      const { refusals: refusalsThere, ...there } = textsIn(language)
      compare(leavesOf(english), leavesOf(there))
      const read = Object.entries(refusals).map(([code, { title, detail, help }]) => [
        code,
        { title, detail, help },
      ])
      compare(leavesOf(Object.fromEntries(read)), leavesOf(refusalsThere))
      compare(leavesOf(scopeSentences.en), leavesOf(scopeSentences[language]))
    })
  }
})

void describe('web app texts', () => {
  const folder = path.resolve(import.meta.dirname, '../../web/strings')
  const names = readdirSync(path.join(folder, 'en'))

  for (const language of languages.filter((name) => name !== 'en')) {
    it(`has every catalogue in ${language}`, () => {
      assert.deepEqual(readdirSync(path.join(folder, language)).toSorted(), names.toSorted())
    })
    for (const name of names) {
      it(`has everything of ${name} in ${language}`, async () => {
        const leavesIn = async (of: string): Promise<Leaf[]> => {
          const file = (await import(path.join(folder, of, name))) as {
            catalogue: (tools: ReturnType<typeof toolsOf>) => unknown
          }
          return leavesOf(file.catalogue(toolsOf(of)), name)
        }
        compare(await leavesIn('en'), await leavesIn(language))
      })
    }
  }
})
