// Stored logins: which server is used, and renewal by parallel commands.
import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { test } from 'node:test'
import type { Tokens } from '../../client/client.ts'
import { createLogins } from '../../cli/remote/logins.ts'
import { newFolder } from '../helpers/folders.ts'

const tokens = (name: string, expiresAt = Date.now() + 900_000): Tokens => ({
  accessToken: `access ${name}`,
  refreshToken: `refresh ${name}`,
  expiresAt,
  scopes: [],
  idToken: undefined,
})

void test('renewing does not change the current server: it is the last one signed in to', async (t) => {
  const logins = createLogins(await newFolder(t))
  await logins.keep('https://one.example', tokens('1'))
  await logins.keep('https://two.example', tokens('2'))
  await logins.renew('https://one.example', tokens('1'), async () => tokens('1b'))
  assert.equal(await logins.current(), 'https://two.example')
  assert.equal((await logins.tokensOf('https://one.example'))?.accessToken, 'access 1b')
  await logins.forget('https://two.example')
  assert.equal(await logins.current(), 'https://one.example')
})

void test('of simultaneous commands one renews, and the others use the result', async (t) => {
  const folder = await newFolder(t)
  const held = tokens('old', Date.now() - 1)
  await createLogins(folder).keep('https://one.example', held)
  const used: (string | undefined)[] = []
  const renewed = await Promise.all(
    ['a', 'b', 'c'].map((name) =>
      createLogins(folder).renew('https://one.example', held, async ({ refreshToken }) => {
        used.push(refreshToken)
        return tokens(name)
      }),
    ),
  )
  assert.deepEqual(used, ['refresh old'])
  assert.equal(new Set(renewed.map(({ accessToken }) => accessToken)).size, 1)
  assert.deepEqual((await readdir(folder)).toSorted(), ['logins.json', 'logins.lock'])
})

void test('what another command renewed long ago is renewed with its own refresh token', async (t) => {
  const logins = createLogins(await newFolder(t))
  await logins.keep('https://one.example', tokens('newer', Date.now() - 1))
  const fresh = await logins.renew('https://one.example', tokens('old', 0), async ({ refreshToken }) => {
    assert.equal(refreshToken, 'refresh newer')
    return tokens('newest')
  })
  assert.equal(fresh.accessToken, 'access newest')
})

void test('a failed refresh leaves the sign-in unchanged, and no command waiting', async (t) => {
  const folder = await newFolder(t)
  const logins = createLogins(folder)
  await logins.keep('https://one.example', tokens('1'))
  await assert.rejects(
    logins.renew('https://one.example', tokens('1'), async () => Promise.reject(new Error('gone'))),
    /gone/,
  )
  assert.equal((await logins.tokensOf('https://one.example'))?.accessToken, 'access 1')
  assert.deepEqual((await readdir(folder)).toSorted(), ['logins.json', 'logins.lock'])
})
