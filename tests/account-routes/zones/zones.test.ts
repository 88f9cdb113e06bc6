// /v2/me/zones: valid zones, who may create one, and that no one else ever sees it.
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { applicationToken } from '../../auth/matrix/matrix-people.ts'
import { addSignedIn } from '../../helpers/visitor.ts'
import { reachingNodes } from '../../helpers/test-nodes.ts'
import { startOfTime, startWaymark, type Person } from '../../helpers/waymark.ts'
import { jsonOf, post, type Problem } from '../v2-helpers.ts'

const waymark = await startWaymark()
after(() => waymark.close())
const ana = await waymark.addPerson()
const path = '/v2/me/zones'
const home = { name: 'Home', lat: 46.9, lon: 7.4, radius: 200 }

interface Zone {
  readonly zoneID: number
  readonly name: string
  readonly hiddenRadius: number
  readonly createdAt: string
}

const add = (person: Pick<Person, 'token'>, body: unknown, headers: Record<string, string> = {}) =>
  post(waymark, path, { token: person.token, body, headers })

async function zonesOf({ token }: Pick<Person, 'token'>): Promise<readonly Zone[]> {
  const answer = await waymark.fetch(path, { token })
  assert.equal(answer.status, 200)
  const { items, next } = await jsonOf<{ items: Zone[]; next: null }>(answer)
  assert.equal(next, null)
  return items
}

const remove = ({ token }: Pick<Person, 'token'>, id: number | string) =>
  waymark.fetch(`${path}/${id}`, { method: 'DELETE', token })

void describe('a zone', () => {
  void it('can be created, is listed oldest first, and is removed once', async () => {
    const answer = await add(ana, home)
    assert.equal(answer.status, 201)
    assert.match(answer.headers.get('cache-control') ?? '', /private, no-store/)
    const zone = await jsonOf<Zone>(answer)
    assert.ok(Number.isSafeInteger(zone.zoneID) && zone.zoneID > 1_000_000)
    const { hiddenRadius } = zone
    assert.ok(hiddenRadius > home.radius)
    assert.deepEqual(zone, {
      zoneID: zone.zoneID,
      ...home,
      hiddenRadius,
      createdAt: new Date(startOfTime).toISOString(),
    })
    waymark.system.advance(1)
    const second = await jsonOf<Zone>(await add(ana, { ...home, name: undefined }))
    assert.equal(second.name, '')
    assert.deepEqual(await zonesOf(ana), [zone, second])
    assert.equal((await remove(ana, zone.zoneID)).status, 204)
    assert.equal((await remove(ana, zone.zoneID)).status, 404)
    assert.deepEqual(await zonesOf(ana), [second])
    for (const id of reachingNodes(['x', '0', '-1', '1e3', second.zoneID + 1, '%00']))
      assert.equal((await remove(ana, id)).status, 404, String(id))
  })

  const edges = [
    { lat: 90, lon: 180, radius: 50 },
    { lat: -90, lon: -180, radius: 1000 },
    { lat: 0, lon: 0, radius: 50.5, name: 'x'.repeat(200) },
    { lat: -0, lon: 1e-7, radius: 200, name: '🏠'.repeat(200) },
  ]
  for (const zone of edges)
    void it(`may be ${JSON.stringify(zone).slice(0, 50)}`, async () =>
      assert.equal((await add(ana, zone)).status, 201))

  const wrong: readonly (readonly [body: unknown, named: RegExp])[] = [
    [{}, /lat/],
    [{ ...home, lat: 90.0001 }, /\blat\b/],
    [{ ...home, lat: -91 }, /\blat\b/],
    [{ ...home, lat: '46' }, /\blat\b/],
    [{ ...home, lat: null }, /\blat\b/],
    [{ ...home, lon: 180.1 }, /\blon\b/],
    [{ ...home, lon: undefined }, /\blon\b/],
    [{ ...home, radius: 49.9 }, /\bradius\b/],
    [{ ...home, radius: 1000.1 }, /\bradius\b/],
    [{ ...home, radius: -200 }, /\bradius\b/],
    [{ ...home, radius: undefined }, /\bradius\b/],
    [{ ...home, name: 'x'.repeat(201) }, /\bname\b/],
    [{ ...home, name: 3 }, /\bname\b/],
    [{ ...home, zoneID: 1 }, /zoneID/],
    [{ ...home, salt: 'x' }, /salt/],
    [[home], /body/i],
    ['{"lat":NaN}', /./],
    ['{"lat":1e999,"lon":0,"radius":100}', /lat|number/],
  ]
  for (const [body, named] of wrong) {
    void it(`may not be ${(JSON.stringify(body) ?? '').slice(0, 60)}`, async () => {
      const before = await zonesOf(ana)
      const answer = await add(ana, body)
      assert.equal(answer.status, 400)
      assert.match((await jsonOf<Problem>(answer)).detail ?? '', named)
      assert.deepEqual(await zonesOf(ana), before)
    })
  }

  void it('is limited to 50, also with simultaneous requests', async () => {
    const person = await waymark.addPerson()
    for (let index = 0; index < 47; index += 1) assert.equal((await add(person, home)).status, 201)
    const statuses = (await Promise.all(Array.from({ length: 6 }, () => add(person, home)))).map(
      ({ status }) => status,
    )
    assert.deepEqual(
      statuses.toSorted((a, b) => a - b),
      [201, 201, 201, 403, 403, 403],
    )
    const refused = await jsonOf<Problem>(await add(person, home))
    assert.match(refused.detail ?? '', /50 privacy zones; the limit is 50/)
    const [first] = await zonesOf(person)
    assert.equal((await remove(person, first?.zoneID ?? 0)).status, 204)
    assert.equal((await add(person, home)).status, 201)
  })
})

void describe('C18: Idempotency-Key', () => {
  const headers = { 'idempotency-key': 'zone-1' }

  void it('repeated, creates one zone, also simultaneously; another body is 422', async () => {
    const person = await waymark.addPerson()
    const answers = await Promise.all([1, 2, 3].map(() => add(person, home, headers)))
    const ids = await Promise.all(answers.map(async (answer) => (await jsonOf<Zone>(answer)).zoneID))
    assert.deepEqual(
      answers.map(({ status }) => status),
      [201, 201, 201],
    )
    assert.equal(new Set(ids).size, 1)
    assert.equal((await add(person, { ...home, radius: 300 }, headers)).status, 422)
    assert.equal((await add(person, home, { 'idempotency-key': 'two words' })).status, 400)
    assert.equal((await zonesOf(person)).length, 1)
    const other = await waymark.addPerson()
    assert.equal((await add(other, { ...home, radius: 300 }, headers)).status, 201)
  })

  void it('repeated after the zone was removed says so, and creates none', async () => {
    const person = await waymark.addPerson()
    const { zoneID } = await jsonOf<Zone>(await add(person, home, headers))
    await remove(person, zoneID)
    assert.equal((await add(person, home, headers)).status, 404)
    assert.equal((await zonesOf(person)).length, 0)
  })
})

void describe('access', () => {
  const statusesOf = async (token: string | undefined, headers: Record<string, string> = {}) => {
    const init = { headers, ...(token === undefined ? {} : { token }) }
    const list = await waymark.fetch(path, init)
    const made = await post(waymark, path, { token, body: home, headers })
    const removed = await waymark.fetch(`${path}/1`, { method: 'DELETE', ...init })
    return [list, made, removed].map(({ status }) => status)
  }

  void it('the owner, signed in', async () => {
    const member = await addSignedIn(waymark)
    const made = await member.call('POST', path, home)
    assert.equal(made.status, 201, made.text)
    const { items } = JSON.parse((await member.call('GET', path)).text) as { items: Zone[] }
    assert.equal(items.length, 1)
    assert.equal((await member.call('DELETE', `${path}/${items[0]?.zoneID}`)).status, 204)
    const foreign = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }
    assert.ok((await member.call('POST', path, home, foreign)).status >= 400)
    assert.match((await member.call('GET', path)).text, /^\{"items":\[\],"next":null,"hiddenSizes":\[/)
  })

  void it('a client of the account, as far as its scopes allow; no other', async () => {
    const person = await waymark.addPerson()
    assert.deepEqual(await statusesOf(person.token), [200, 201, 404])
    assert.deepEqual(
      await statusesOf(await waymark.tokenFor(person.accountId, 'routes:read')),
      [200, 403, 403],
    )
    assert.deepEqual(
      await statusesOf(await waymark.tokenFor(person.accountId, 'routes:write')),
      [403, 201, 404],
    )
    assert.deepEqual(
      await statusesOf(await waymark.tokenFor(person.accountId, 'images:read images:write')),
      [403, 403, 403],
    )
    assert.deepEqual(await statusesOf(undefined), [401, 401, 401])
    assert.deepEqual(await statusesOf('wrong'), [401, 401, 401])
    assert.deepEqual(
      await statusesOf(undefined, { 'x-api-key': await waymark.addKey(person.accountId) }),
      [401, 401, 401],
    )
    const { token } = await applicationToken(waymark, person.accountId)
    assert.deepEqual(await statusesOf(token), [403, 403, 403])
  })

  void it('nobody sees or removes the zone of another account, not even an admin', async () => {
    const owner = await waymark.addPerson()
    const { zoneID } = await jsonOf<Zone>(await add(owner, home))
    for (const role of ['member', 'reviewer', 'admin'] as const) {
      const other = await waymark.addPerson({ role })
      assert.deepEqual(await zonesOf(other), [])
      const [theirs, missing] = [await remove(other, zoneID), await remove(other, 1_234_567)]
      assert.deepEqual([theirs.status, missing.status], [404, 404])
      const strip = (text: string) => text.replace(/urn:[\w:-]+/, '')
      assert.equal(strip(await theirs.text()), strip(await missing.text()))
    }
    assert.equal((await zonesOf(owner)).length, 1)
  })
})
