// waymark serve with commands beside it: their changes apply to the server's next request (contract, part C).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newFolder } from '../helpers/folders.ts'
import { jpegPicture } from '../helpers/pictures.ts'
import { assertOneSentence, done, run, startServer } from './run-waymark.ts'

void test('a running server notices what commands change: a trail, an account, a client, a key, its revocation', async (t) => {
  const options = { dataDir: await newFolder(t) }
  const { url, stop } = await startServer(t, options)
  await done(['trails', 'add', '--id', '4711', '--name', 'Rim Trail'], options)
  await done(['accounts', 'create', '--email', 'ann@trails.example', '--name', 'Ann', '--id', '42'], options)
  const key = await done(['keys', 'create', '--account', '42', '--name', 'Web'], options)
  const { apiKey, prefix } = key as { apiKey: string; prefix: string }
  const client = ['clients', 'create', '--account', '42', '--name', 'Uploader', '--scope', 'images:write']
  const { clientId, clientSecret } = (await done(client, options)) as Record<string, string>

  const token = await fetch(`${url}/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  })
  const { access_token: accessToken } = (await token.json()) as { access_token: string }
  const uploaded = await fetch(`${url}/Trails/4711/Images/`, {
    method: 'POST',
    headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'image/jpeg' },
    body: await jpegPicture(),
  })
  assert.equal(uploaded.status, 201)

  const list = () => fetch(`${url}/Trails/4711/Images/?api_key=${apiKey}`)
  assert.equal((await list()).status, 200)
  await done(['keys', 'revoke', prefix], options)
  assert.equal((await list()).status, 401)

  const port = new URL(url).port
  const second = await run(['serve'], { ...options, settings: { PORT: port } })
  assert.equal(second.exitCode, 2)
  assertOneSentence(second.stderr)
  assert.match(second.stderr, /^Another Waymark server is using the same DATABASE_URL/)
  const elsewhere = await run(['serve'], { dataDir: await newFolder(t), settings: { PORT: port } })
  assert.equal(elsewhere.exitCode, 2)
  assertOneSentence(elsewhere.stderr)
  assert.match(elsewhere.stderr, new RegExp(`^PORT ${port} on 127\\.0\\.0\\.1 is in use`))

  assert.equal(await stop(), 0)
})

void test('an address of another machine is one sentence', async (t) => {
  const settings = { PORT: '0', PUBLIC_URL: 'http://waymark.example', HOST: '192.0.2.1' }
  const { exitCode, stderr } = await run(['serve'], { dataDir: await newFolder(t), settings })
  assert.equal(exitCode, 2)
  assertOneSentence(stderr)
  assert.match(stderr, /^HOST 192\.0\.2\.1 /)
})
