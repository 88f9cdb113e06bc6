// Codes and sessions if a node's clock differs from the shared one: their lifetime is the same on every node.
import assert from 'node:assert/strict'
import path from 'node:path'
import { test } from 'node:test'
import { createOauthStore } from '../../../src/auth/oauth/oauth-store.ts'
import { loadSecret } from '../../../src/auth/secret.ts'
import { newFolder } from '../../helpers/folders.ts'
import { openTestDatabase } from '../../helpers/oauth-harness.ts'

const minute = 60_000
const start = Date.UTC(2026, 4, 14)
const seconds = (ms: number): number => Math.floor(ms / 1_000)

void test('a code from a node whose clock is five minutes ahead lives as long on one that is five minutes behind', async (t) => {
  const folder = await newFolder(t)
  const database = await openTestDatabase(folder)
  t.after(() => database.close())
  const secret = await loadSecret(path.join(folder, 'secret'))
  let at = start
  const store = createOauthStore({ db: database.db, secret, now: () => at })
  t.mock.timers.enable({ apis: ['Date'], now: start })
  /** The provider uses the clock of its process. */
  const onNode = (ahead: number): void => t.mock.timers.setTime(at + ahead)

  for (const [from, to] of [
    [5, -5],
    [-5, 5],
    [0, 0],
  ].map((pair) => pair.map((one) => one * minute))) {
    onNode(from ?? 0)
    const [exp, iat] = [seconds(Date.now()) + 60, seconds(Date.now())]
    for (const kind of ['AuthorizationCode', 'Session'])
      await store(kind).upsert(kind, { jti: kind, kind, exp, iat, loginTs: iat }, 60)
    at += 45_000
    onNode(to ?? 0)
    for (const kind of ['AuthorizationCode', 'Session']) {
      const found = await store(kind).find(kind)
      assert.equal(Number(found?.exp) - seconds(Date.now()), 15, `${kind}, from ${from} to ${to}`)
      assert.equal(seconds(Date.now()) - Number(found?.iat), 45)
      assert.equal(seconds(Date.now()) - Number(found?.loginTs), 45)
    }
    at += 20_000
    onNode(to ?? 0)
    assert.equal(await store('AuthorizationCode').find('AuthorizationCode'), undefined)
  }
})
