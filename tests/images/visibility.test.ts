// Who sees and may change an image in each state, and the response headers (contract C3, C22–C24, C27, C40).
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { imageSizes } from '../../src/shared/image-sizes.ts'
import type { ImageState } from '../../src/database/schema.ts'
import { jpegPicture } from '../helpers/pictures.ts'
import { assertProblem, outcomeOf } from '../helpers/problems.ts'
import { startWaymark, type Waymark } from '../helpers/waymark.ts'
import { send, type WireRequest } from '../helpers/wire.ts'

const waymark = await startWaymark()
// The same store with other settings.
const guarded = await startWaymark({
  dataDir: waymark.dataDir,
  environment: { PENDING_VIEW: 'owner', XML_EMAIL: 'always', IMAGE_MAX_AGE: '60' },
})
after(async () => {
  await guarded.close()
  await waymark.close()
})

await waymark.addTrail(4711, 'Rim Trail')
const ana = await waymark.addPerson({ name: 'Ana' })
const stan = await waymark.addPerson({ name: 'Stan' })
const rob = await waymark.addPerson({ name: 'Rob', role: 'reviewer' })
const ada = await waymark.addPerson({ name: 'Ada', role: 'admin' })
const withoutReview = 'images:read images:write'
const key = await waymark.addKey(ana.accountId)
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

const states = ['pending', 'approved', 'rejected', 'removed', 'deleted'] as const
const decisions: Readonly<Record<ImageState, readonly string[]>> = {
  pending: [],
  approved: ['approve'],
  rejected: ['reject'],
  removed: ['approve', 'remove'],
  deleted: [],
}
const images = {} as Record<ImageState, number>
for (const [index, state] of states.entries()) {
  images[state] = await waymark.upload(ana, 4711, await jpegPicture({ width: 200, height: 150, seed: index }))
  for (const decision of decisions[state]) {
    assert.equal((await waymark.review(rob, images[state], decision)).status, 200)
  }
}
const { db } = waymark.installation.database
await db.updateTable('image').set({ state: 'deleted' }).where('id', '=', images.deleted).execute()

/** Includes the submitter's API key, which never grants its owner's rights (C28). */
const actors: Readonly<Record<string, Record<string, string>>> = {
  nobody: {},
  key: { 'x-api-key': key },
  stranger: bearer(stan.token),
  submitter: bearer(ana.token),
  'submitter without images:read': bearer(await waymark.tokenFor(ana.accountId, 'images:write')),
  'submitter without images:write': bearer(await waymark.tokenFor(ana.accountId, 'images:read')),
  reviewer: bearer(rob.token),
  'reviewer without images:review': bearer(await waymark.tokenFor(rob.accountId, withoutReview)),
  admin: bearer(ada.token),
  'admin without images:review': bearer(await waymark.tokenFor(ada.accountId, withoutReview)),
}

async function isIn(answer: Response, imageId: number): Promise<string> {
  const text = await answer.clone().text()
  if (answer.status !== 200) return outcomeOf(answer)
  return text.includes(String(imageId)) ? 'there' : 'not there'
}

type Operation = (server: Waymark, actor: Record<string, string>, imageId: number) => Promise<string>
const ask = (server: Waymark, request: WireRequest) => send(server.url, request)
const asJson = { 'content-type': 'application/json' }

const operations = {
  'the list': async (server, headers, id) =>
    isIn(await ask(server, { path: '/Trails/4711/Images', headers }), id),
  'the v2 list': async (server, headers, id) => isIn(await ask(server, { path: '/v2/images', headers }), id),
  'a classic GET': async (server, headers, id) =>
    outcomeOf(await ask(server, { path: `/Trails/4711/Images/${id}`, headers })),
  'a v2 GET': async (server, headers, id) =>
    outcomeOf(await ask(server, { path: `/v2/images/${id}`, headers })),
  'the handler, lg': async (server, headers, id) =>
    outcomeOf(await ask(server, { path: `/ImageHandler?id=${id}`, headers })),
  'the handler, sm': async (server, headers, id) =>
    outcomeOf(await ask(server, { path: `/ImageHandler?id=${id}&t=sm`, headers })),
  PUT: async (server, headers, id) =>
    outcomeOf(
      await ask(server, {
        method: 'PUT',
        path: `/Trails/4711/Images/${id}`,
        headers: { ...headers, ...asJson },
        body: '{}',
      }),
    ),
  // Without a decision: the resulting refusal proves permission.
  review: async (server, headers, id) =>
    outcomeOf(
      await ask(server, {
        method: 'POST',
        path: `/v2/images/${id}/review`,
        headers: { ...headers, ...asJson },
        body: '{}',
      }),
    ),
} satisfies Record<string, Operation>
type OperationName = keyof typeof operations

const unknown = '404 Invalid Image ID'
const noCredential = '401 A credential is required'
const forbidden = '403 Forbidden'
const noScope = '403 The token lacks a scope'
const mayDecide = '400 Invalid field value'

/** An image that a stranger may not see is unknown for every request; a published one is visible to everyone. */
const whereSeen = (outcome: string): Row => seen.map((answer) => (answer === '200' ? outcome : unknown))

/** Five outcomes, in the order of the states. */
type Row = readonly string[]
const everywhere = (outcome: string): Row => states.map(() => outcome)
const butDeleted = (outcome: string, deleted = unknown): Row => [...Array<string>(4).fill(outcome), deleted]
const listed = ['not there', 'there', 'not there', 'not there', 'not there']
const seen = [unknown, '200', unknown, unknown, unknown]
const open = ['200', '200', unknown, unknown, unknown]

const all = (outcome: Row): Record<OperationName, Row> =>
  Object.fromEntries(Object.keys(operations).map((name) => [name, outcome])) as Record<OperationName, Row>
const onlooker = { 'the handler, lg': open, 'the handler, sm': open }
const stranger = {
  'the list': listed,
  'the v2 list': everywhere('not there'),
  'a classic GET': seen,
  'a v2 GET': seen,
  ...onlooker,
  PUT: whereSeen(forbidden),
  review: whereSeen(forbidden),
}
const submitter = {
  'the list': listed,
  'the v2 list': butDeleted('there', 'not there'),
  'a classic GET': butDeleted('200'),
  'a v2 GET': butDeleted('200'),
  'the handler, lg': butDeleted('200'),
  'the handler, sm': butDeleted('200'),
  PUT: butDeleted('200'),
  review: butDeleted(forbidden),
}
const staff = { ...submitter, review: butDeleted(mayDecide) }

const expected: Readonly<Record<keyof typeof actors, Record<OperationName, Row>>> = {
  nobody: { ...all(everywhere(noCredential)), ...onlooker },
  key: {
    ...all(everywhere(noCredential)),
    ...onlooker,
    'the list': listed,
    'a classic GET': seen,
    'a v2 GET': seen,
  },
  stranger,
  submitter,
  'submitter without images:read': {
    ...submitter,
    ...onlooker,
    'the list': everywhere(noScope),
    'the v2 list': everywhere(noScope),
    'a classic GET': butDeleted(noScope),
    'a v2 GET': butDeleted(noScope),
    review: butDeleted(noScope),
  },
  'submitter without images:write': { ...submitter, PUT: butDeleted(noScope), review: butDeleted(noScope) },
  reviewer: staff,
  'reviewer without images:review': { ...stranger, review: whereSeen(noScope) },
  admin: staff,
  'admin without images:review': { ...stranger, review: whereSeen(noScope) },
}

/** What every actor gets for these operations, by state. */
async function outcomes(server: Waymark, names: readonly OperationName[]): Promise<unknown> {
  const rows: Record<string, Record<string, string[]>> = {}
  for (const [actor, headers] of Object.entries(actors)) {
    const row: Record<string, string[]> = {}
    for (const name of names) {
      const found: string[] = []
      for (const state of states) found.push(await operations[name](server, headers, images[state]))
      row[name] = found
    }
    rows[actor] = row
  }
  return rows
}

void test('C3 C22 C23 C24 C28: every state, for every actor, in every operation', async () => {
  assert.deepEqual(await outcomes(waymark, Object.keys(operations) as OperationName[]), expected)
})

void test('C27: PENDING_VIEW=owner hides pending images from everyone but the submitter and staff', async () => {
  const closed = [unknown, '200', unknown, unknown, unknown]
  const views = ['the handler, lg', 'the handler, sm'] as const
  const hidden = Object.entries(expected).map(([actor, row]) => [
    actor,
    Object.fromEntries(views.map((view) => [view, row[view] === open ? closed : row[view]])),
  ])
  assert.deepEqual(await outcomes(guarded, views), Object.fromEntries(hidden))
})

void test('C27 C40: the headers of a file tell caches and robots who it is for', async () => {
  const view = (state: ImageState, actor: string, t: string, server = waymark) =>
    ask(server, { path: `/ImageHandler?id=${images[state]}&t=${t}`, headers: actors[actor] ?? {} })
  for (const t of imageSizes) {
    for (const [state, actor] of [
      ['approved', 'nobody'],
      ['approved', 'submitter'],
      ['pending', 'nobody'],
      ['pending', 'submitter'],
      ['rejected', 'submitter'],
      ['removed', 'reviewer'],
    ] as const) {
      const answer = await view(state, actor, t)
      const name = `${state} ${actor} ${t}`
      const isListed = state === 'approved'
      const { headers } = answer
      assert.equal(answer.status, 200, name)
      assert.equal(
        headers.get('cache-control'),
        isListed ? 'public, max-age=3600' : 'private, no-store',
        name,
      )
      assert.equal(headers.get('x-robots-tag'), isListed ? null : 'noindex', name)
      assert.equal(headers.get('vary'), isListed ? null : 'Authorization', name)
      assert.match(headers.get('etag') ?? '', /^"[^"]{20,}"$/, name)
      assert.equal(headers.get('accept-ranges'), t === 'lg' ? 'bytes' : null, name)
      assert.equal(headers.get('content-type'), 'image/jpeg', name)
      assert.equal(headers.get('content-disposition'), 'inline', name)
      assert.equal(headers.get('x-content-type-options'), 'nosniff', name)
      assert.equal(headers.get('referrer-policy'), 'no-referrer', name)
      assert.equal(headers.get('content-security-policy'), "default-src 'none'; sandbox", name)
      assert.equal(headers.get('cross-origin-resource-policy'), 'cross-origin', name)
      assert.equal(headers.get('strict-transport-security'), 'max-age=31536000', name)
      assert.equal(headers.get('content-length'), String((await answer.arrayBuffer()).byteLength), name)
      for (const gone of ['server', 'x-powered-by', 'set-cookie', 'last-modified']) {
        assert.equal(headers.get(gone), null, name)
      }
    }
  }
  const short = await view('approved', 'nobody', 'sm', guarded)
  assert.equal(short.headers.get('cache-control'), 'public, max-age=60', 'IMAGE_MAX_AGE')
  await assertProblem(await view('rejected', 'nobody', 'sm'), 'invalid-image-id')
})

void test('C39 C40: a response that depends on the viewer is private and says so in its headers', async () => {
  const paths = [
    '/Trails/4711/Images',
    `/Trails/4711/Images/${images.approved}`,
    `/v2/images/${images.approved}`,
  ]
  const varies: Readonly<Record<string, string>> = {
    '/Trails/4711/Images': 'Authorization, Accept, Accept-Encoding',
    [`/v2/images/${images.approved}`]: 'Authorization',
  }
  for (const path of paths) {
    for (const [actor, caching] of Object.entries({
      key: 'private, no-cache',
      stranger: 'private, no-store',
    })) {
      const { headers } = await ask(waymark, { path, headers: actors[actor] ?? {} })
      assert.equal(headers.get('cache-control'), caching, `${path} ${actor}`)
      assert.equal(headers.get('vary'), varies[path] ?? 'Authorization, Accept')
      assert.match(headers.get('etag') ?? '', /^"[^"]{20,}"$/)
      assert.equal(headers.get('referrer-policy'), 'no-referrer')
      assert.equal(headers.get('x-content-type-options'), 'nosniff')
    }
  }
})

void test('C40 A2.3: the email address appears only in XML, and is filled only for the submitter and staff', async () => {
  const email = 'person1@trails.example'
  const filled = new Set(['submitter', 'submitter without images:write', 'reviewer', 'admin'])
  const readers = Object.keys(actors).filter(
    (actor) => !['nobody', 'submitter without images:read'].includes(actor),
  )
  for (const path of ['/Trails/4711/Images', `/Trails/4711/Images/${images.approved}`]) {
    for (const actor of readers) {
      const read = async (server: Waymark, accept: string) =>
        (await ask(server, { path, headers: { ...actors[actor], accept } })).text()
      const xml = await read(waymark, 'application/xml')
      const expectedElement = `<email>${filled.has(actor) ? email : ''}</email>`
      assert.ok(xml.includes(expectedElement), `${actor} ${path}: ${xml}`)
      assert.ok(
        (await read(guarded, 'application/xml')).includes(`<email>${email}</email>`),
        'XML_EMAIL=always',
      )
      for (const server of [waymark, guarded]) {
        assert.doesNotMatch(await read(server, 'application/json'), /email|addUser|@/)
      }
    }
  }
})
