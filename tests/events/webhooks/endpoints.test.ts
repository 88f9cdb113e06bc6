// /v2/webhooks: created, listed, changed and deleted only by their owner, with the secret shown once (contract Part D).
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { MadeWebhook, Webhook } from '../../../src/shared/v2/webhook-schemas.ts'
import { loadSecret } from '../../../src/auth/secret.ts'
import { readFile, writeFile } from 'node:fs/promises'
import { addSignedIn } from '../../helpers/visitor.ts'
import { startWaymark, type Person, type Waymark } from '../../helpers/waymark.ts'
import { addWebhook, ask } from './receiver.ts'

const address = 'https://receiver.example/hook'

describe('/v2/webhooks', () => {
  let waymark: Waymark
  let ana: Person
  let admin: Person

  before(async () => {
    waymark = await startWaymark()
    ana = await waymark.addPerson()
    admin = await waymark.addPerson({ role: 'admin' })
  })
  after(() => waymark.close())

  const read = async (path: string, token = ana.token) => ask(waymark, path, { token, method: 'GET' })
  const patch = (id: number, body: unknown, headers: Record<string, string> = {}, token = ana.token) =>
    ask(waymark, `/${id}`, { token, method: 'PATCH', body, headers })
  const detailOf = async (answer: Response): Promise<string> =>
    ((await answer.json()) as { detail?: string }).detail ?? ''

  it('creates one, and shows its secret only then', async () => {
    const answer = await ask(waymark, '', {
      token: ana.token,
      body: { url: 'https://RECEIVER.example:443/hook?key=1', events: ['route.created', 'image.approved'] },
    })
    assert.equal(answer.status, 201)
    assert.equal(answer.headers.get('cache-control'), 'private, no-store')
    const { secret, ...made } = (await answer.json()) as MadeWebhook
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
    assert.deepEqual(made, {
      id: made.id,
      url: 'https://receiver.example/hook?key=1',
      events: ['image.approved', 'route.created'],
      scopes: made.scopes,
      createdAt: '2026-05-14T09:08:07.000Z',
      disabled: false,
      disabledAt: null,
      disabledReason: null,
      failingSince: null,
    })
    const one = await read(`/${made.id}`)
    assert.deepEqual(await one.json(), made)
    const all = (await (await read('')).json()) as { items: Webhook[] }
    assert.deepEqual(all.items, [made])
    const unchanged = await ask(waymark, `/${made.id}`, {
      token: ana.token,
      method: 'GET',
      headers: { 'if-none-match': one.headers.get('etag') ?? '' },
    })
    assert.equal(unchanged.status, 304)
    const rotated = await ask(waymark, `/${made.id}/rotate`, { token: ana.token })
    assert.equal(rotated.status, 201)
    assert.notEqual(((await rotated.json()) as MadeWebhook).secret, secret)
  })

  it("another account's is not found, for admins as for anyone, on every endpoint", async () => {
    const { id } = await addWebhook(waymark, ana.token, address)
    const test = (await (await ask(waymark, `/${id}/test`, { token: ana.token })).json()) as { id: number }
    for (const token of [admin.token, (await waymark.addPerson()).token]) {
      const answers = [
        await read(`/${id}`, token),
        await patch(id, { disabled: true }, {}, token),
        await ask(waymark, `/${id}`, { token, method: 'DELETE' }),
        await ask(waymark, `/${id}/rotate`, { token }),
        await ask(waymark, `/${id}/test`, { token }),
        await read(`/${id}/deliveries`, token),
        await ask(waymark, `/${id}/deliveries/${test.id}/replay`, { token }),
        await read('/4711', token),
        await read('/x', token),
      ]
      for (const answer of answers) {
        assert.equal(answer.status, 404)
        assert.match(await answer.text(), /Invalid Webhook ID/)
      }
      assert.deepEqual(((await (await read('', token)).json()) as { items: unknown[] }).items, [])
    }
    const other = await addWebhook(waymark, ana.token, address)
    const elsewhere = await ask(waymark, `/${other.id}/deliveries/${test.id}/replay`, { token: ana.token })
    assert.match(await elsewhere.text(), /Invalid Delivery ID/)
  })

  it('neither an application that a person allowed nor a key can manage any', async () => {
    const key = await waymark.addKey(ana.accountId)
    assert.equal((await waymark.fetch(`/v2/webhooks?api_key=${key}`)).status, 401)
    assert.equal((await waymark.fetch('/v2/webhooks')).status, 401)
  })

  it('the person, signed in, manages them as a client does', async () => {
    const visitor = await addSignedIn(waymark)
    const made = await visitor.call('POST', '/v2/webhooks', { url: address, events: ['*'] })
    assert.equal(made.status, 201)
    const { scopes } = JSON.parse(made.text) as Webhook
    assert.ok(!scopes.includes('images:review'), 'a member cannot review')
  })

  it('trust 56: refuses addresses with one sentence each, on creation and change', async () => {
    const { id } = await addWebhook(waymark, ana.token, address)
    for (const [url, sentence] of [
      ['https://127.1/', 'The field url is in a private or reserved network.'],
      ['https://[::ffff:169.254.169.254]/', 'The field url is in a private or reserved network.'],
      ['https://localhost:9200/', 'The field url is in a private or reserved network.'],
      [
        'http://receiver.example/',
        'The field url must be https; plain http is allowed only for addresses in the setting WEBHOOK_ALLOW.',
      ],
      ['https://ann:word@receiver.example/', 'The field url must not contain a user or password.'],
      ['receiver', 'The field url must be an https URL.'],
    ] as const) {
      const answer = await ask(waymark, '', { token: ana.token, body: { url, events: ['*'] } })
      assert.deepEqual([answer.status, await detailOf(answer)], [400, sentence])
      const changed = await patch(id, { url })
      assert.deepEqual([changed.status, await detailOf(changed)], [400, sentence])
    }
  })

  it('an invalid body is one sentence', async () => {
    for (const [body, sentence] of [
      [{ url: address }, 'The field events is missing.'],
      [{ url: address, events: [] }, /events/],
      [{ url: address, events: ['image.eaten'] }, /events\.0 must be one of \*, image\.uploaded/],
      [{ url: address, events: ['*'], secret: 'mine' }, 'Unknown field: secret.'],
      [{ url: `https://receiver.example/${'a'.repeat(2_000)}`, events: ['*'] }, /url/],
      [{ url: 7, events: ['*'] }, 'The field url must be text.'],
    ] as const) {
      const answer = await ask(waymark, '', { token: ana.token, body })
      assert.equal(answer.status, 400)
      const detail = await detailOf(answer)
      if (typeof sentence === 'string') assert.equal(detail, sentence)
      else assert.match(detail, sentence)
    }
  })

  it('C18: the same request with its Idempotency-Key creates no second one', async () => {
    const headers = { 'idempotency-key': 'one' }
    const body = { url: address, events: ['*'] }
    const before = ((await (await read('')).json()) as { items: unknown[] }).items.length
    assert.equal((await ask(waymark, '', { token: ana.token, body, headers })).status, 201)
    const again = await ask(waymark, '', { token: ana.token, body, headers })
    assert.equal(again.status, 409)
    assert.match(await again.text(), /The request was already processed/)
    const other = await ask(waymark, '', {
      token: ana.token,
      body: { ...body, events: ['image.updated'] },
      headers,
    })
    assert.equal(other.status, 422)
    assert.equal(((await (await read('')).json()) as { items: unknown[] }).items.length, before + 1)
  })

  it('an account may have 20, also with simultaneous requests', async () => {
    const { token } = await waymark.addPerson()
    const body = { url: address, events: ['*'] }
    const answers = await Promise.all(Array.from({ length: 23 }, () => ask(waymark, '', { token, body })))
    const refused = answers.filter(({ status }) => status === 403)
    assert.deepEqual([answers.filter(({ status }) => status === 201).length, refused.length], [20, 3])
    assert.equal(await detailOf(refused[0]!), 'The account has 20 webhooks; the limit is 20.')
  })

  it('is changed field by field, with If-Match, and deleted', async () => {
    const { id } = await addWebhook(waymark, ana.token, address)
    const etag = (await read(`/${id}`)).headers.get('etag') ?? ''
    const changed = await patch(id, { events: ['route.deleted'] }, { 'if-match': etag })
    assert.deepEqual(((await changed.json()) as Webhook).events, ['route.deleted'])
    assert.equal((await patch(id, { events: ['*'] }, { 'if-match': etag })).status, 412)
    const disabled = (await (await patch(id, { disabled: true })).json()) as Webhook
    assert.deepEqual(
      [disabled.disabled, disabled.disabledReason, disabled.events],
      [true, 'Its owner disabled it.', ['route.deleted']],
    )
    const enabled = (await (await patch(id, { disabled: false })).json()) as Webhook
    assert.deepEqual([enabled.disabled, enabled.disabledReason], [false, null])
    assert.equal((await patch(id, {})).status, 200)
    assert.equal((await ask(waymark, `/${id}`, { token: ana.token, method: 'DELETE' })).status, 204)
    assert.equal((await read(`/${id}`)).status, 404)
  })

  it('changing its URL gives it no more events than the caller may see', async () => {
    const { id, scopes } = await addWebhook(waymark, ana.token, address)
    assert.ok(scopes.includes('routes:read') && scopes.includes('images:read'))
    const narrow = await waymark.tokenFor(ana.accountId, 'images:read images:write')
    const same = (await (await patch(id, { events: ['*'], url: address }, {}, narrow)).json()) as Webhook
    assert.deepEqual(same.scopes, scopes)
    const moved = (await (await patch(id, { url: `${address}/2` }, {}, narrow)).json()) as Webhook
    assert.deepEqual(moved.scopes.toSorted(), ['images:read', 'images:write'])
    const back = (await (await patch(id, { url: address })).json()) as Webhook
    assert.deepEqual(back.scopes.toSorted(), ['images:read', 'images:write'], 'and it never grows again')
  })

  it('secrets are sealed again at the start after a rotation of SECRET_FILE', async () => {
    const { db } = waymark.installation.database
    const { secretFile } = waymark.installation.config
    const { id } = await addWebhook(waymark, ana.token, address)
    const old = await readFile(secretFile, 'utf8')
    await writeFile(secretFile, `${'n'.repeat(43)}\n${old}`)
    const both = await loadSecret(secretFile)
    const other = await startWaymark({ dataDir: waymark.dataDir })
    await other.app.services.webhooks.sealAnew()
    await other.close()
    const { secret } = await db
      .selectFrom('webhook')
      .select('secret')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    assert.equal(both.isStale(secret), false)
    assert.match(both.unseal(secret), /^whsec_/)
    await writeFile(secretFile, old)
  })
})
