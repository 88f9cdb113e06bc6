// An image that the caller may not see behaves like one that does not exist, for every request (contract C31, issue 20).
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, test } from 'node:test'
import { anotherPicture } from '../helpers/leaving.ts'
import { startWaymark } from '../helpers/waymark.ts'
import { matrixFile } from './matrix/matrix.ts'

const waymark = await startWaymark()
after(() => waymark.close())
const ana = await waymark.addPerson()
const stranger = await waymark.addPerson()
const reviewer = await waymark.addPerson({ role: 'reviewer' })
const trailId = 4711
await waymark.addTrail(trailId, 'Rim Trail')

const json = { 'content-type': 'application/json' }

/** For every endpoint with an image, on both surfaces: a request that would succeed with permission. */
const askings = (
  id: number | string,
): readonly (readonly [method: string, path: string, body?: object])[] => [
  ['GET', `/Trails/${trailId}/Images/${id}`],
  ['PUT', `/Trails/${trailId}/Images/${id}`, { title: 'Mine' }],
  ['GET', `/v2/images/${id}`],
  ['PATCH', `/v2/images/${id}`, { title: 'Mine' }],
  ['DELETE', `/v2/images/${id}`],
  ['POST', `/v2/images/${id}/restore`],
  ['POST', `/v2/images/${id}/review`, { decision: 'approve' }],
  ['POST', `/v2/images/${id}/undo`, {}],
  ['GET', `/v2/images/${id}/history`],
  ['GET', `/v2/images/${id}/reports`],
  ['POST', `/v2/images/${id}/reports`, { reason: 'spam' }],
  ['POST', `/v2/images/${id}/reports/dismiss`, {}],
  ['DELETE', `/v2/review/claims/${id}`],
]

/** Status and body, without the image id and the request id. */
async function answerOf(
  [method, path, body]: ReturnType<typeof askings>[number],
  { id, headers }: { readonly id: number; readonly headers: Record<string, string> },
): Promise<string> {
  const init =
    body === undefined ? { headers } : { headers: { ...json, ...headers }, body: JSON.stringify(body) }
  const answer = await fetch(waymark.url + path, { method, ...init })
  const text = await answer.text()
  return `${answer.status} ${text.replaceAll(String(id), 'ID').replace(/"instance":"[^"]*"/, '')}`
}

async function imageThat(decision: 'approve' | 'reject' | 'remove' | 'delete' | undefined): Promise<number> {
  const id = await waymark.upload(ana, trailId, await anotherPicture())
  if (decision === 'delete') {
    await fetch(`${waymark.url}/v2/images/${id}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${ana.token}` },
    })
    return id
  }
  if (decision === 'remove') await waymark.review(reviewer, id, 'approve')
  if (decision !== undefined) assert.equal((await waymark.review(reviewer, id, decision)).status, 200)
  return id
}

const unknown = 2 ** 52 + 7

for (const decision of [undefined, 'reject', 'remove', 'delete'] as const)
  void test(`an image that is ${decision ?? 'pending'} is not revealed to others, in either API`, async () => {
    const id = await imageThat(decision)
    const headers = { authorization: `Bearer ${stranger.token}` }
    const [real, none] = [askings(id), askings(unknown)]
    for (const [index, asking] of real.entries()) {
      const [answer, expected] = [
        await answerOf(asking, { id, headers }),
        await answerOf(none[index] ?? asking, { id: unknown, headers }),
      ]
      assert.match(answer, /^404 .*Invalid Image ID/, `${asking[0]} ${asking[1]}`)
      assert.equal(answer, expected, `${asking[0]} ${asking[1]}`)
    }
  })

void test('C22: changing a published image of another account is 403, since everyone can see it', async () => {
  const id = await imageThat('approve')
  const headers = { authorization: `Bearer ${stranger.token}` }
  for (const asking of askings(id)) {
    const [method, path] = asking
    if (method === 'GET' && !/history|reports/.test(path)) continue
    if (method === 'POST' && path.endsWith('/reports')) continue
    assert.match(await answerOf(asking, { id, headers }), /^403 /, `${method} ${path}`)
  }
})

void test('in the whole authorisation table, no method reveals an image that GET of v2 does not show', async () => {
  const rows = (await readFile(matrixFile, 'utf8')).split('\n').flatMap((line) => {
    const [, pattern = '', method = '', variant = '', cells = ''] =
      /^(\S*:imageID\S*) {2}([A-Z]+) {2}(listed|own pending|pending off|pending on)\s+([\d ]+)$/.exec(line) ??
      []
    return pattern === '' ? [] : [{ pattern, method, variant, cells: cells.trim().split(/\s+/) }]
  })
  const shown = new Map(
    rows
      .filter(({ pattern, method }) => pattern === '/v2/images/:imageID' && method === 'GET')
      .map(({ variant, cells }) => [variant, cells]),
  )
  assert.equal(shown.size, 4)
  let checked = 0
  for (const { pattern, method, variant, cells } of rows) {
    if (!/^\/(v2|Trails)\//.test(pattern)) continue // pages show the image or nothing, by the rules of the handler
    for (const [column, status] of cells.entries()) {
      if (shown.get(variant)?.[column] !== '404') continue
      checked += 1
      assert.match(status, /^(401|404)$/, `${method} ${pattern} ${variant}, column ${column}`)
    }
  }
  assert.ok(checked > 200, `${checked} cells`)
})
