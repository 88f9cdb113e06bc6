// Tests the tests: a secret stored or logged in plain text is found when the server closes (trust 41).
import assert from 'node:assert/strict'
import { appendFile, mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { registerClient } from '../../src/auth/oauth/oauth-clients.ts'
import { createSecretRegistry } from '../helpers/secret-registry.ts'
import { newFolder } from '../helpers/folders.ts'
import { addSignedIn } from '../helpers/visitor.ts'
import { startWaymark } from '../helpers/waymark.ts'

void test('trust 41: every kind of secret in a test is registered', async (t) => {
  const registry = createSecretRegistry()
  const secret = (letter: string): string => letter.repeat(43)
  registry.noteRequest({ body: new URLSearchParams({ password: 'a pass phrase' }) })
  registry.noteRequest({ body: '{"password":"another phrase"}' })
  const headers = new Headers({ location: `https://gallery.example/back?code=${secret('c')}&state=x` })
  headers.append('set-cookie', `waymark=${secret('s')}; Path=/; HttpOnly`)
  registry.noteAnswer(headers, `{"access_token":"${secret('a')}","refresh_token":"${secret('r')}"}`)
  registry.noteAnswer(new Headers(), `{"url":"https://trails.example/reset/${secret('l')}"}`)
  registry.noteAnswer(new Headers(), `<code>wm_${secret('k')}</code> and <code>wms_${secret('p')}</code>`)
  registry.noteAnswer(new Headers(), `{"secret":"whsec_${secret('w')}="}`)
  const planted = [
    'a pass phrase',
    'another phrase',
    ...['c', 's', 'a', 'r', 'l'].map(secret),
    `wm_${secret('k')}`,
    `wms_${secret('p')}`,
    `${secret('w')}=`,
  ]
  for (const text of planted) {
    const folder = await newFolder(t)
    await mkdir(path.join(folder, 'blobs'))
    await writeFile(
      path.join(folder, 'blobs', 'one'),
      Buffer.concat([Buffer.alloc(5_000, 0xff), Buffer.from(text)]),
    )
    assert.match((await registry.search(folder, '')).join(), /stands in blobs\/one/, text)
    assert.match((await registry.search(await newFolder(t), `x ${text}`)).join(), /stands in the log/, text)
  }
  assert.deepEqual(await registry.search(await newFolder(t), 'nothing of it'), [])
})

void test('trust 41: a test server that stores a secret in plain text fails its test', async () => {
  const waymark = await startWaymark()
  const { token, accountId } = await waymark.addPerson()
  await waymark.addKey(accountId)
  await addSignedIn(waymark)
  await registerClient(waymark.installation.database.db, {
    accountId,
    name: token, // planted
    scope: 'images:read',
    now: 0,
    isPublic: true,
    redirectUris: [],
  })
  await assert.rejects(waymark.close(), /access_token stands in waymark\.sqlite/)

  const other = await startWaymark()
  const person = await other.addPerson()
  other.app.server.log.info({ note: person.token }, 'planted')
  await assert.rejects(other.close(), /access_token stands in the log/)

  const third = await startWaymark()
  const key = await third.addKey((await third.addPerson()).accountId)
  await appendFile(path.join(third.dataDir, 'left.zip'), key)
  await assert.rejects(third.close(), /API key stands in left\.zip/)
})
