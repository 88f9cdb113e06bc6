// Commands and the server as processes: a secret is shown once on creation, and never again (contract C28, trust 41).
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, test } from 'node:test'
import { newFolder } from '../helpers/folders.ts'
import { send } from '../helpers/wire.ts'
import { done, run, startChild } from '../cli/run-waymark.ts'

const password = 'correct-horse-battery-staple'
const accountArgs = ['accounts', 'create', '--email', 'ann@trails.example', '--name', 'Ann', '--id', '42']

function textField(document: unknown, name: string): string {
  assert.ok(typeof document === 'object' && document !== null && name in document)
  const value: unknown = Object.entries(document).find(([key]) => key === name)?.[1]
  assert.ok(typeof value === 'string')
  return value
}

void describe('secrets', { concurrency: 2 }, () => {
  void test('trust 41: commands show a key or a secret once, on stdout, and repeat none that was mistyped', async (t) => {
    const options = { dataDir: await newFolder(t) }
    const created = await run([...accountArgs, '--password-stdin'], { ...options, stdin: `${password}\n` })
    assert.equal(created.exitCode, 0)
    const key = await run(['keys', 'create', '--account', '42', '--name', 'site'], options)
    const [apiKey = ''] = /^wm_[\w-]{43}$/m.exec(key.stdout) ?? []
    assert.deepEqual([key.stdout.split(apiKey).length, key.stderr], [2, ''])
    const scope = ['--scope', 'images:write']
    const client = await run(['clients', 'create', '--account', '42', '--name', 'app', ...scope], options)
    const [clientSecret = ''] = /wms_[\w-]{43}/.exec(client.stdout) ?? []
    assert.deepEqual([client.stdout.split(clientSecret).length, client.stderr], [2, ''])
    assert.ok(apiKey !== '' && clientSecret !== '')

    const later: readonly (readonly string[])[] = [
      ['keys', 'list', '--account', '42'],
      ['check', '--store'],
      ['keys', 'revoke', apiKey],
      ['trails', 'import', clientSecret],
      [...accountArgs, `--password=${password}`],
    ]
    const settings = { CORS_ORIGINS: `https://ann:${password}@trails.example` }
    const outputs = [await run(['doctor', '--json'], { ...options, settings })]
    for (const args of later) outputs.push(await run(args, options))
    const said = [created, ...outputs].map(({ stdout, stderr }) => stdout + stderr).join('\n')
    for (const secret of [password, apiKey.slice(12), clientSecret.slice(13)])
      assert.ok(!said.includes(secret), said)
    assert.ok(said.includes(apiKey.slice(0, 11)), 'the prefix tells which key is meant')
  })

  void test('trust 41: a server prints no secret on stdout or stderr, from its start to its end', async (t) => {
    const dataDir = await newFolder(t)
    const passwordFile = path.join(dataDir, 'password')
    await writeFile(passwordFile, `${password}\n`)
    await done(accountArgs, { dataDir })
    const apiKey = textField(
      await done(['keys', 'create', '--account', '42', '--name', 'site'], { dataDir }),
      'apiKey',
    )
    const scope = ['--scope', 'images:write images:read']
    const client = await done(['clients', 'create', '--account', '42', '--name', 'app', ...scope], {
      dataDir,
    })
    const [clientId, clientSecret] = [textField(client, 'clientId'), textField(client, 'clientSecret')]

    const child = startChild(['serve'], {
      dataDir,
      settings: {
        PORT: '0',
        PUBLIC_URL: 'http://waymark.example',
        ADMIN_EMAIL: 'admin@trails.example',
        ADMIN_PASSWORD_FILE: passwordFile,
      },
    })
    const closed = once(child, 'close')
    t.after(() => child.kill('SIGKILL'))
    let said = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (chunk: string) => (said += chunk))
    while (!/listens on \S+/.test(said)) {
      assert.equal(child.exitCode, null, said)
      await Promise.race([once(child.stderr, 'data'), closed])
    }
    const url = /listens on (\S+)/.exec(said)?.[1] ?? ''

    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const login = `client_id=${clientId}&client_secret=${clientSecret}`
    const post = (where: string, body: string) =>
      send(url, { method: 'POST', path: where, headers: form, body })
    const granted = await post('/oauth/token', `grant_type=client_credentials&${login}`)
    const token = textField(await granted.json(), 'access_token')
    await post('/oauth/token', `grant_type=password&username=ann&password=${password}&${login}`)
    await post('/oauth/introspect', `token=${token}&${login}`)
    for (const where of [
      `/Trails/1/Images?api_key=${apiKey}`,
      `/Trails/1/Images&api_key=${apiKey}`,
      `/${token}`,
    ])
      await send(url, { path: where, headers: { referer: where, 'x-api-key': apiKey } })
    await send(url, { path: '/v2/images', headers: { authorization: `Bearer ${token}` } })
    await send(url, { path: '/v2/images', headers: { authorization: `Basic ${clientSecret}` } })
    await post('/oauth/revoke', `token=${token}&${login}`)
    child.kill('SIGTERM')
    await closed

    assert.match(said, /"msg":"request"/)
    assert.match(said, /Created the first admin/)
    for (const secret of [password, apiKey.slice(3), token, clientSecret.slice(4)])
      assert.ok(!said.includes(secret), said)
  })
})
