// Reason codes: presets, the operator's own list, and any other code of the form (contract, Part D).
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertProblem } from '../helpers/problems.ts'
import { addSignedIn, type Member } from '../helpers/visitor.ts'
import { get, post, startReview, upload } from './review-client.ts'

// To the helper that looks for secrets, a field named code is one of OAuth.
const place = await startReview()
let admin: Member
before(async () => {
  admin = await addSignedIn(place.waymark, 'admin')
})
after(() => place.waymark.close())
const { ana, db } = place

interface Reason {
  readonly code: string
  readonly label: string
  readonly decisions: readonly string[]
}

const list = (person = place.rob) => get<{ items: Reason[]; next: null }>(place, '/v2/review/reasons', person)
const put = (body: unknown) => admin.call('PUT', '/v2/admin/review-reasons', body)

void test('D: staff read the preset reasons, all of which can be used; members cannot read them', async () => {
  const { body } = await list()
  assert.equal(body.next, null)
  const codes = body.items.map(({ code }) => code)
  for (const code of ['blurred', 'not-the-trail', 'people-recognisable', 'duplicate', 'copyright', 'other'])
    assert.ok(codes.includes(code), code)
  assert.equal(new Set(codes).size, codes.length)
  for (const { code, label, decisions } of body.items) {
    assert.match(code, /^[a-z0-9][a-z0-9-]{0,63}$/)
    assert.ok(label.length > 3 && decisions.length > 0)
  }
  await assertProblem((await list(ana)).answer, 'forbidden')
})

void test('D: an admin replaces the list, audited; decisions keep their codes, and any valid code is accepted', async () => {
  const imageId = await upload(place)
  const decide = (decision: string, reason: string) =>
    post(place, `/v2/images/${imageId}/review`, { decision, reason })
  assert.equal((await decide('reject', 'blurred')).status, 200)
  const items = [
    { code: 'too-dark', label: ' Too dark ', decisions: ['reject', 'reject'] },
    { code: 'other', label: 'Something else' },
  ]
  const saved = await put({ items })
  assert.equal(saved.status, 200, saved.text)
  const expected = [
    { code: 'too-dark', label: 'Too dark', decisions: ['reject'] },
    { code: 'other', label: 'Something else', decisions: ['reject', 'remove'] },
  ]
  assert.deepEqual(JSON.parse(saved.text), { items: expected, next: null })
  assert.deepEqual((await list()).body.items, expected)
  const audit = await db.selectFrom('audit').selectAll().orderBy('position', 'desc').executeTakeFirstOrThrow()
  assert.deepEqual(
    [audit.action, audit.actor_id, audit.via, JSON.parse(audit.detail)],
    ['setting.changed', admin.accountId, 'session', { choice: 'review-reasons' }],
  )

  assert.equal((await decide('restore', 'in-no-list')).status, 200)
  assert.equal((await decide('remove', 'too-dark')).status, 200)
  const { body: history } = await get<{ items: Record<string, unknown>[] }>(
    place,
    `/v2/images/${imageId}/history`,
  )
  assert.deepEqual(
    history.items.map(({ reason, reasonLabel }) => [reason, reasonLabel]),
    [
      [null, null],
      ['blurred', null],
      ['in-no-list', null],
      ['too-dark', 'Too dark'],
    ],
  )
})

void test('D: an invalid list is refused and changes nothing, and only a signed-in admin can send one', async () => {
  const before = (await list()).body
  const reason = { code: 'a', label: 'A' }
  for (const items of [
    [],
    [{ code: 'a' }],
    [{ label: 'A' }],
    [reason, reason],
    [{ ...reason, code: 'A b' }],
    [{ ...reason, code: 'undo' }],
    [{ ...reason, code: 'trusted' }],
    [{ ...reason, label: '' }],
    [{ ...reason, label: '  ' }],
    [{ ...reason, label: 'two\nlines' }],
    [{ ...reason, label: 'x'.repeat(201) }],
    [{ ...reason, decisions: [] }],
    [{ ...reason, decisions: ['delete'] }],
    [{ ...reason, colour: 'red' }],
    Array.from({ length: 51 }, (_, index) => ({ code: `c${index}`, label: 'C' })),
    'blurred',
  ])
    assert.equal((await put({ items })).status, 400, JSON.stringify(items).slice(0, 80))
  assert.deepEqual((await list()).body, before)
  const byToken = await place.waymark.fetch('/v2/admin/review-reasons', {
    method: 'PUT',
    token: place.eve.token,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ items: [reason] }),
  })
  await assertProblem(byToken, 'forbidden')
})

void test('D: reasons reserved for the server cannot be used by people', async () => {
  const imageId = await upload(place)
  for (const reason of ['undo', 'trusted']) {
    const { answer } = await post(place, `/v2/images/${imageId}/review`, { decision: 'approve', reason })
    const { detail } = await assertProblem(answer, 'invalid-field')
    assert.equal(detail, `The reason ${reason} is reserved for the server.`)
  }
})
