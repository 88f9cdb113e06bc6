// Access to a route on v2 (contract C36): every visibility, caller and format, without a hint that a hidden route exists.
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { createLogWatch } from '../../helpers/log-watch.ts'
import { startWaymark } from '../../helpers/waymark.ts'
import { addRoute, changeRoute, gpxOf, jsonOf, northward, pathOf, setOf } from '../v2-helpers.ts'

const watch = createLogWatch()
const waymark = await startWaymark({ logger: watch.logger })
after(() => waymark.close())
const ana = await waymark.addPerson({ name: 'Ana' })
const bob = await waymark.addPerson({ name: 'Bob' })

const expiredToken = await waymark.tokenFor(ana.accountId, 'routes:read routes:write images:read')
waymark.system.advance(60 * 60_000)
const all = 'images:read images:write images:review routes:read routes:write'
const reviewer = await waymark.addPerson({ role: 'reviewer' })
const admin = await waymark.addPerson({ role: 'admin' })
const apiKey = await waymark.addKey(ana.accountId)
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const people: Readonly<Record<string, Record<string, string>>> = {
  nobody: {},
  'an API key of the owner': { 'x-api-key': apiKey },
  'a wrong token': bearer('wrong'),
  'an expired token of the owner': bearer(expiredToken),
  'the owner': bearer(await waymark.tokenFor(ana.accountId, all)),
  'the owner without routes:read': bearer(await waymark.tokenFor(ana.accountId, 'images:read routes:write')),
  'the owner without routes:write': bearer(await waymark.tokenFor(ana.accountId, 'images:read routes:read')),
  another: bearer(await waymark.tokenFor(bob.accountId, all)),
  'another without routes:read': bearer(await waymark.tokenFor(bob.accountId, 'images:read')),
  'another without routes:write': bearer(await waymark.tokenFor(bob.accountId, 'routes:read')),
  'a reviewer': bearer(await waymark.tokenFor(reviewer.accountId, all)),
  'an admin': bearer(await waymark.tokenFor(admin.accountId, all)),
}
const token = await waymark.tokenFor(ana.accountId, all)
const owner = { accountId: ana.accountId, token }

const gpx = gpxOf([northward(45, 7, 4)])
const named = { name: 'L', gpx, visibility: 'link' }
const made = {
  private: await addRoute(waymark, owner, { name: 'P', gpx }),
  link: await addRoute(waymark, owner, named),
  public: await addRoute(waymark, owner, { name: 'O', gpx, visibility: 'public' }),
}
const secret = new URL(made.link.link ?? '').searchParams.get('token') ?? ''
const otherLink = await addRoute(waymark, owner, named)
const otherSecret = new URL(otherLink.link ?? '').searchParams.get('token') ?? ''
const noSuchId = 1_234_567_890_123

/** Everything by which a client could distinguish two responses. */
async function seen(path: string, init: RequestInit) {
  const answer = await waymark.fetch(path, init)
  const text = (await answer.text()).replaceAll(/urn:waymark:request:[\w-]+/g, 'urn')
  const passing = /^(date|x-request-id|ratelimit|content-length$)/
  return { status: answer.status, text, headers: [...answer.headers].filter(([name]) => !passing.test(name)) }
}

const formats = ['', '.gpx', '.geojson']
const failing: Readonly<Record<string, number>> = {
  'a wrong token': 401,
  'an expired token of the owner': 401,
}
const ownerReads = new Set(['the owner', 'the owner without routes:write'])

for (const [who, headers] of Object.entries(people)) {
  void describe(`C36: to ${who}`, () => {
    const refused =
      failing[who] ?? (/nobody|API key/.test(who) ? 401 : /without routes:read/.test(who) ? 403 : 404)
    const isOwner = ownerReads.has(who)

    void it('a public route is shown', async () => {
      for (const format of formats) {
        const { status } = await seen(`/v2/routes/${made.public.routeID}${format}`, { headers })
        assert.equal(status, failing[who] ?? 200, format)
      }
    })

    void it('a private route returns not found, whatever is tried', async () => {
      if (isOwner) return
      const reading = ['GET', 'HEAD']
      const any = who.startsWith('the owner')
        ? reading
        : [...reading, 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
      for (const format of [
        ...formats,
        '/',
        '?as=others',
        '?token=',
        `?token=${secret}`,
        '.gpx?as=others',
        '.tcx',
        '?as=x',
      ]) {
        for (const method of format === '' ? any : ['GET']) {
          const init = {
            method,
            headers: { ...headers, 'content-type': 'application/json', 'if-match': '"x"' },
          }
          const body = /P(OST|UT|ATCH)/.test(method) ? { body: '{"name":"taken"}' } : {}
          const there = await seen(`/v2/routes/${made.private.routeID}${format}`, { ...init, ...body })
          const missing = await seen(`/v2/routes/${noSuchId}${format}`, { ...init, ...body })
          assert.deepEqual(there, missing, `${method} ${format}`)
          if (method === 'GET' && /^$|^\.g/.test(format)) assert.equal(there.status, refused, format)
        }
      }
    })

    void it('a route of visibility link returns not found without its token, and is shown with it', async () => {
      for (const format of formats) {
        const path = `/v2/routes/${made.link.routeID}${format}`
        const open = await seen(`${path}?token=${secret}`, { headers })
        assert.equal(open.status, failing[who] ?? 200, format)
        if (isOwner) continue
        const missing = await seen(`/v2/routes/${noSuchId}${format}`, { headers })
        assert.equal(missing.status, refused)
        const wrong = [
          '',
          '?token=',
          `?token=${otherSecret}`,
          `?token=${secret}x`,
          `?token=${secret.slice(1)}`,
          '?token=null',
          '?as=others',
        ]
        for (const query of wrong) assert.deepEqual(await seen(path + query, { headers }), missing, query)
      }
    })

    void it('the list has what is public, and for the owner everything', async () => {
      const answer = await waymark.fetch(setOf(owner), { headers })
      const expected =
        /nobody|API key/.test(who) || failing[who] ? 401 : /without routes:read/.test(who) ? 403 : 200
      assert.equal(answer.status, expected)
      if (expected !== 200) return
      const { items } = await jsonOf<{ items: { name: string; link?: string }[] }>(answer)
      const names = new Set(items.map(({ name }) => name))
      assert.deepEqual([...names].toSorted(), isOwner ? ['L', 'O', 'P'] : ['O'])
    })

    void it('changes by other accounts are refused', async () => {
      if (who.startsWith('the owner')) return
      for (const { routeID, visibility } of Object.values(made)) {
        for (const method of ['PATCH', 'DELETE']) {
          const init = { method, headers: { ...headers, 'content-type': 'application/json' } }
          const body = method === 'PATCH' ? { body: '{"name":"taken"}' } : {}
          const { status } = await seen(`/v2/routes/${routeID}?token=${secret}`, { ...init, ...body })
          const isScopeless = /without routes/.test(who) && who !== 'another without routes:write'
          const known = visibility === 'public' ? 403 : 404
          const isRefused = /nobody|API key/.test(who) ? 401 : (failing[who] ?? (isScopeless ? 403 : known))
          const wanted = who === 'another without routes:write' ? 403 : isRefused
          assert.equal(status, wanted, `${method} ${visibility}`)
        }
      }
    })
  })
}

void it('the owner without routes:write cannot change anything, and nothing was changed by anyone', async () => {
  const headers = { ...people['the owner without routes:write'], 'content-type': 'application/json' }
  const init = { method: 'PATCH', headers, body: '{"name":"x"}' }
  assert.equal((await waymark.fetch(`/v2/routes/${made.public.routeID}`, init)).status, 403)
  for (const { routeID, name, updatedAt } of Object.values(made)) {
    const now = await jsonOf<{ name: string; updatedAt: string }>(
      await waymark.fetch(`/v2/routes/${routeID}`, { token }),
    )
    assert.deepEqual([now.name, now.updatedAt], [name, updatedAt])
  }
})

void describe('the link', () => {
  void it('is unguessable, separate for each route, and shown to others only in the URL they used', async () => {
    assert.match(secret, /^[\w-]{32}$/)
    assert.notEqual(secret, otherSecret)
    const shown = await jsonOf<Record<string, unknown>>(await waymark.fetch(pathOf(made.link.link ?? '')))
    for (const field of ['link', 'updatedAt', 'isLengthStated', 'warnings', 'unreadable'])
      assert.equal(field in shown, false, field)
    const { urls } = shown as { urls: Record<string, string> }
    for (const url of Object.values(urls)) assert.equal((await waymark.fetch(pathOf(url))).status, 200)
  })

  void it('stops working when it is withdrawn, and a later one is different', async () => {
    const route = await addRoute(waymark, owner, named)
    const first = route.link ?? ''
    const status = async (link: string) => (await waymark.fetch(pathOf(link))).status
    assert.equal(await status(first), 200)
    await changeRoute(waymark, owner, { id: route.routeID, name: 'the link stays' })
    assert.equal(await status(first), 200)
    for (const between of ['private', 'public']) {
      await changeRoute(waymark, owner, { id: route.routeID, visibility: between })
      const again = await changeRoute(waymark, owner, { id: route.routeID, visibility: 'link' })
      assert.notEqual(again.link, first)
      assert.equal(await status(first), 401, between)
      assert.equal(await status(again.link ?? ''), 200)
    }
    await waymark.fetch(`/v2/routes/${route.routeID}`, { method: 'DELETE', token })
    assert.equal(await status(first), 401)
  })

  void it('is not for search engines, and neither is anything that is not public', async () => {
    const robots = async (path: string, init = {}) =>
      (await waymark.fetch(path, init)).headers.get('x-robots-tag')
    for (const format of formats) {
      assert.equal(await robots(`/v2/routes/${made.link.routeID}${format}?token=${secret}`), 'noindex')
      assert.equal(await robots(`/v2/routes/${made.private.routeID}${format}`, { token }), 'noindex')
      assert.equal(await robots(`/v2/routes/${made.public.routeID}${format}`), null)
    }
  })

  void it('trust 41: never appears in the log, wherever it was sent', async () => {
    const { link = '' } = await addRoute(waymark, owner, named)
    const path = pathOf(link ?? '')
    const reported = new URL(link ?? '').searchParams.get('token') ?? ''
    const addresses = [
      path,
      path.replace('?', '.gpx?'),
      path.replace('?', '/?'),
      `${path}%20&token=${reported}`,
      `${path}&as=${reported}`,
      `/v2/routes/x?token=${reported}`,
      `/v2/routes/${reported}`,
      `/nowhere/${reported}`,
    ]
    const before = watch.written()
    await watch.logged(2 * addresses.length, async () => {
      for (const address of addresses) {
        const headers = { referer: link ?? '', 'user-agent': reported }
        await (await waymark.fetch(address, { headers })).text()
        await (await waymark.fetch(address, { method: 'PUT', headers, body: 'x' })).text()
      }
    })
    assert.equal(watch.written().includes(reported), false)
    assert.equal(before.includes(secret), false)
  })
})

void describe('C40: responses depend on the viewer', () => {
  void it('and tell every cache so', async () => {
    for (const headers of [{}, people['the owner'], people['another']]) {
      for (const format of formats) {
        const answer = await waymark.fetch(`/v2/routes/${made.public.routeID}${format}`, {
          headers: headers ?? {},
        })
        assert.match(answer.headers.get('cache-control') ?? '', /^private/)
        assert.match(answer.headers.get('vary') ?? '', /Authorization/)
      }
    }
  })

  void it('C39: have different ETags for the owner and for others; each gets 304 for their own', async () => {
    const { routeID } = made.public
    for (const format of formats) {
      const get = (init: RequestInit & { token?: string }) =>
        waymark.fetch(`/v2/routes/${routeID}${format}`, init)
      const mine = (await get({ token })).headers.get('etag') ?? ''
      const theirs = (await get({})).headers.get('etag') ?? ''
      assert.notEqual(mine, theirs)
      assert.equal((await get({ headers: { 'if-none-match': `W/${theirs}` } })).status, 304)
      assert.equal((await get({ headers: { 'if-none-match': mine } })).status, 200)
      assert.equal((await get({ token, headers: { 'if-none-match': mine } })).status, 304)
      const bobs = await waymark.fetch(`/v2/routes/${routeID}${format}`, { token: bob.token })
      assert.equal(bobs.headers.get('etag') ?? theirs, theirs)
    }
  })
})
