// Cookies of the authorization server over https: restricted to this host (__Host-), and one pair for each pending
// request.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { parseSetCookie } from 'cookie'
import { hostCookieNames } from '../../../src/auth/oauth/oauth-cookies.ts'
import { registerClient } from '../../../src/auth/oauth/oauth-clients.ts'
import { passPages, submit } from '../../helpers/oauth-people.ts'
import { challengeOf, newVerifier } from '../../helpers/pkce.ts'
import { addSignedIn, type Answer, type Visitor } from '../../helpers/visitor.ts'
import { startWaymark, type Waymark } from '../../helpers/waymark.ts'

let waymark: Waymark
const clients: string[] = []

before(async () => {
  waymark = await startWaymark()
  const { accountId } = await waymark.addPerson()
  for (const name of ['First', 'Second']) {
    const { clientId } = await registerClient(waymark.installation.database.db, {
      accountId,
      name,
      scope: 'images:read',
      isPublic: true,
      redirectUris: [`https://${name.toLowerCase()}.example/back`],
      now: 0,
    })
    clients.push(clientId)
  }
})
after(() => waymark.close())

function requestTo(clientId: string | undefined): string {
  const query = new URLSearchParams({
    client_id: clientId ?? '',
    response_type: 'code',
    scope: 'images:read',
    code_challenge: challengeOf(newVerifier()),
    code_challenge_method: 'S256',
  })
  return `/oauth/authorize?${query.toString()}`
}

/** Every cookie that responses to a visitor set in the meantime. */
function watched(visitor: Visitor) {
  const set: ReturnType<typeof parseSetCookie>[] = []
  const note = (answer: Answer): Answer => {
    set.push(...answer.headers.getSetCookie().map((line) => parseSetCookie(line)))
    return answer
  }
  const get: Visitor['get'] = async (...values) => note(await visitor.get(...values))
  const post: Visitor['post'] = async (...values) => note(await visitor.post(...values))
  const follow: Visitor['follow'] = async (first) => {
    let answer = first
    const { publicUrl } = waymark.installation.config
    for (let hop = 0; hop < 10 && answer.location !== null; hop += 1) {
      if (!answer.location.startsWith('/') && !answer.location.startsWith(`${publicUrl}/`)) return answer
      answer = await get(answer.location)
    }
    return answer
  }
  return { set, visitor: { ...visitor, get, post, follow } }
}

void test('each has the prefix __Host- and meets its conditions: Secure, the path /, no domain', async () => {
  const person = await addSignedIn(waymark)
  const { set, visitor } = watched(person)
  const consent = await visitor.follow(await visitor.get(requestTo(clients[0])))
  const back = await submit(visitor, consent, { do: 'allow' })
  assert.match(back.location ?? '', /^https:\/\/first\.example\/back\?code=/)
  assert.ok(set.length > 6, `${set.length} cookies`)
  for (const { name, secure, path, domain, httpOnly, sameSite } of set) {
    const known = Object.values(hostCookieNames).some((start) => name.startsWith(start))
    assert.deepEqual(
      { known, secure, path, domain, httpOnly, sameSite },
      { known: true, secure: true, path: '/', domain: undefined, httpOnly: true, sameSite: 'lax' },
      name,
    )
  }
  // The state of the request is deleted with it.
  const left = [...person.jar.keys()].filter((name) => name.startsWith(hostCookieNames.resume))
  assert.deepEqual(left, [])
})

void test('two tabs answer their own consent question each, in either order', async () => {
  const person = await addSignedIn(waymark)
  const pages: Answer[] = []
  for (const clientId of clients) pages.push(await person.follow(await person.get(requestTo(clientId))))
  const [first, second] = pages
  assert.ok(first && second)
  assert.match(first.text, /Allow First\?/)
  assert.match(second.text, /Allow Second\?/)
  const backOfFirst = await submit(person, first, { do: 'allow' })
  assert.match(backOfFirst.location ?? '', /^https:\/\/first\.example\/back\?code=/)
  const apps = await person.call('GET', '/v2/me/apps')
  assert.deepEqual(
    (JSON.parse(apps.text) as { items: { name: string }[] }).items.map(({ name }) => name),
    ['First'],
    'the answer to one question allowed the other application',
  )
  const backOfSecond = await submit(person, second, { do: 'deny' })
  assert.match(backOfSecond.location ?? '', /^https:\/\/second\.example\/back\?error=access_denied/)
})

void test('however many requests are started, the browser keeps a few of them, and the last one works', async () => {
  const person = await addSignedIn(waymark)
  let page: Answer | undefined
  for (let begun = 0; begun < 40; begun += 1)
    page = await person.follow(await person.get(requestTo(clients[0])))
  const bytes = [...person.jar].map(([name, value]) => `${name}=${value}`).join('; ').length
  assert.ok(bytes < 3_000, `the browser sends ${bytes} bytes of cookies with every request`)
  assert.ok(page)
  const back = await passPages(person, page)
  assert.match(back.location ?? '', /^https:\/\/first\.example\/back\?code=/)
})
