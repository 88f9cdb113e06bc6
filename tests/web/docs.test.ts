// The guides in the app, and the API reference: no broken link, no sample that does not run.
import assert from 'node:assert/strict'
import { readFile, readdir } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { createContext, runInContext } from 'node:vm'
import { createWaymark, type Waymark } from '../../client/client.ts'
import { readGuide } from '../../web/build/guide-blocks.ts'
import {
  groupOf,
  operationsOf,
  refusalsIn,
  searchOperations,
  withoutReferences,
  type ApiDocument,
} from '../../web/pages/docs/api/api-document.ts'
import { exampleOf } from '../../web/pages/docs/api/example.ts'
import { addressFor, curlFor, samplesFor } from '../../web/pages/docs/api/samples.ts'
import { sdkCalls } from '../../web/pages/docs/api/sdk-calls.ts'
import { findInGuides } from '../../web/pages/docs/find-in-guides.ts'
import { forDevelopers, guideNames } from '../../web/pages/docs/guide-list.ts'

const folder = path.resolve(import.meta.dirname, '../../docs')
const api = withoutReferences(
  JSON.parse(await readFile(path.join(folder, 'openapi.json'), 'utf8')) as ApiDocument,
)
const operations = operationsOf(api)

const readAll = async () =>
  new Map(
    await Promise.all(
      guideNames.map(
        async (name) => [name, readGuide(await readFile(path.join(folder, `${name}.md`), 'utf8'))] as const,
      ),
    ),
  )

void test('every page of docs/ is a guide, or listed as one for developers', async () => {
  const files = (await readdir(folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => name.slice(0, -3))
  assert.deepEqual(files.toSorted(), [...guideNames, ...forDevelopers].toSorted())
})

void test('every link in every guide leads to an existing page and heading', async () => {
  const guides = await readAll()
  const broken: string[] = []
  let links = 0
  for (const [name, { blocks, title }] of guides) {
    assert.notEqual(title, '', name)
    const html = blocks.map((block) => (block.kind === 'html' ? block.html : '')).join('')
    for (const [, address = ''] of html.matchAll(/<a href="([^"]*)"/g)) {
      links += 1
      const [, to = name, id = ''] = /^(?:\/docs\/([\w-]+))?(?:#(.*))?$/.exec(address) ?? []
      const isElsewhere = /^https?:\/\//.test(address) || address === '/openapi.json'
      const target = guides.get(to)
      const isThere = target && (id === '' || target.headings.some((heading) => heading.id === id))
      if (!isElsewhere && !isThere) broken.push(`${name}: ${address}`)
    }
  }
  assert.ok(links > 40, `only ${links} links`)
  assert.deepEqual(broken, [])
})

void test('Markdown becomes text, code and tabs; links to files that are not pages become text', () => {
  const markdown = [
    '# Title',
    'See [there](trails.md#reading), [code](../src/app.ts) and [it](openapi.json).',
    '## A part',
    '## A part',
    '| a | b |\n|---|---|\n| 1 | 2 |',
    '```sh\nls\n```',
    '<!-- tabs -->\n\n**curl**\n\n```sh\ncurl\n```\n\n**JavaScript**\n\n```ts\nfetch()\n```\n\n<!-- end of tabs -->',
    'The end.',
  ].join('\n\n')
  const { title, headings, blocks } = readGuide(markdown)
  assert.equal(title, 'Title')
  assert.deepEqual(
    headings.map(({ id }) => id),
    ['a-part', 'a-part-1'],
  )
  const kinds = blocks.map(({ kind }) => kind)
  assert.deepEqual(kinds, ['html', 'code', 'tabs', 'html'])
  const [first, code, tabs] = blocks
  const html = first?.kind === 'html' ? first.html : ''
  assert.match(html, /<a href="\/docs\/trails#reading">there<\/a>, code and <a href="\/openapi.json">it<\/a>/)
  assert.match(html, /<div class="wide" tabindex="0" role="group" aria-label="Table: A part">/)
  assert.deepEqual(code, { kind: 'code', text: 'ls' })
  assert.deepEqual(tabs, {
    kind: 'tabs',
    samples: [
      { label: 'curl', text: 'curl' },
      { label: 'JavaScript', text: 'fetch()' },
    ],
  })
  assert.throws(() => readGuide('<!-- tabs -->\n\n**curl**'), /no end/)
})

void test('guides are found by words in their titles and headings, titles first', () => {
  const guides = [
    { name: 'backup', title: 'Backup and restore', headings: [{ depth: 2, id: 'try-it', text: 'Try it' }] },
    { name: 'demo', title: 'The demo', headings: [{ depth: 2, id: 'backups', text: 'Its backup' }] },
  ]
  const found = findInGuides(guides, ' BACKUP ').map(({ guide, id }) => `${guide}#${id}`)
  assert.deepEqual(found, ['backup#', 'demo#backups'])
  assert.deepEqual(
    findInGuides(guides, 'backup try').map(({ id }) => id),
    ['try-it'],
  )
  assert.deepEqual(findInGuides(guides, ''), [])
  assert.deepEqual(findInGuides(guides, 'nothing of it'), [])
})

void test('every operation has a unique id and belongs to a named group', () => {
  assert.equal(new Set(operations.map(({ operationId }) => operationId)).size, operations.length)
  assert.deepEqual(
    operations.filter(({ path: at }) => groupOf(at) === 'Others').map(({ path: at }) => at),
    [],
  )
  const odd = operations.filter(({ operationId }) => !/^[a-z]\w+$/i.test(operationId))
  assert.deepEqual(
    odd.map(({ operationId }) => operationId),
    [],
  )
})

/**
 * Runs an operation's sample with a mocked fetch.
 * @returns its first request.
 */
async function requestOf(call: string): Promise<string> {
  let asked = ''
  const waymark: Waymark = createWaymark({
    baseUrl: 'https://trails.example',
    credential: { bearer: 'token' },
    retries: 0,
    fetch: async (url, { method = 'GET' }) => {
      asked ||= `${method} ${new URL(url).pathname}`
      // A stream of events would be listened for without end.
      const status = url.endsWith('/v2/events') ? 403 : 200
      return Response.json({ items: [], next: null }, { status })
    },
  })
  const photo = new Blob([new Uint8Array(4)], { type: 'image/jpeg' })
  const file = new File(['trailID,name,slug\n'], 'trails.csv')
  const context = createContext({ waymark, photo, file, gpx: '<gpx/>', response: { id: 'AA' } })
  await Promise.resolve(runInContext(`waymark.${call}`, context)).catch(() => undefined)
  return asked
}

void test('the SDK sample of each operation calls exactly that operation, and there are no other samples', async () => {
  assert.deepEqual(
    Object.keys(sdkCalls).toSorted(),
    operations.map(({ operationId }) => operationId).toSorted(),
  )
  for (const { operationId, method, path: at } of operations) {
    const asked = await requestOf(sdkCalls[operationId] ?? '')
    const form = new RegExp(`^${method} ${at.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`)
    assert.match(asked, form, operationId)
  }
})

const operation = (id: string) => {
  const found = operations.find(({ operationId }) => operationId === id)
  assert.ok(found, id)
  return found
}

void test('samples contain what was filled in, safe for a shell, with the credential that a program can have', () => {
  const trails = operation('getV2Trails')
  const values = { 'query q': "rim's & creek", 'query limit': '5' }
  assert.equal(addressFor(trails, { values }), '/v2/trails?q=rim%27s+%26+creek&limit=5')
  const curl = curlFor(
    operation('postV2Trails'),
    { values: {}, body: `{"name":"Rim's"}` },
    'https://t.example',
  )
  assert.match(curl, /-X POST/)
  assert.match(curl, /-H "Authorization: Bearer \$TOKEN"/)
  assert.ok(curl.includes(`-d '{"name":"Rim'\\''s"}'`), curl)
  const [, sdk] = samplesFor(trails, { values: {}, body: '' }, 'https://t.example')
  assert.match(sdk?.text ?? '', /apiKey: 'YOUR_KEY'[\s\S]*await waymark\.trails\.page\(/)
  assert.match(
    curlFor(operation('getTrailsTrailIDImages'), { values: {}, body: '' }, ''),
    /\/Trails\/4711\/Images'/,
  )
})

void test('operations are found by every word, refusals by their codes, and an example has all required fields', () => {
  const found = searchOperations(operations, 'delete TRAIL')
  assert.ok(found.some(({ operationId }) => operationId === 'deleteV2TrailsTrailID'))
  assert.ok(found.every(({ method, path: at, summary = '' }) => /delete/i.test(`${method} ${at} ${summary}`)))
  assert.deepEqual(refusalsIn('Forbidden (forbidden); The trail has images (trail-not-empty)', '409'), [
    { status: '409', title: 'Forbidden', code: 'forbidden' },
    { status: '409', title: 'The trail has images', code: 'trail-not-empty' },
  ])
  assert.deepEqual(refusalsIn('503 Server Busy (busy)', 'default'), [
    { status: '503', title: 'Server Busy', code: 'busy' },
  ])
  assert.deepEqual(
    refusalsIn(operation('getV2Trails').responses['default']?.description, 'default').map(
      ({ status }) => status,
    ),
    ['400', '429', '503', '503', '507', '414', '431'],
  )
  assert.equal(
    operation('getV2ImagesImageID').responses['200']?.content?.['application/json']?.schema?.title,
    'Image',
  )
  const body = operation('postV2Trails').requestBody?.content['application/json']?.schema
  assert.ok('name' in (exampleOf(body) as object))
})
