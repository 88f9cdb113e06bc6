// waymark upload and login --client-id at a terminal.
import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { registerClient } from '../../src/auth/oauth/oauth-clients.ts'
import { until } from '../faults/harness/server.ts'
import { newFolder } from '../helpers/folders.ts'
import { startOauthSite } from '../helpers/oauth-site.ts'
import { pngPicture } from '../helpers/pictures.ts'
import { atTerminal, skip } from './at-terminal.ts'

void test(
  'a typed secret is not shown, and an upload has a progress bar and a summary',
  { skip, timeout: 90_000 },
  async (t) => {
    const site = await startOauthSite(t)
    const { waymark } = site
    await waymark.addTrail(4711, 'Rim Trail')
    const { accountId } = await waymark.addPerson({ name: 'Camera' })
    const { clientId, clientSecret = '' } = await registerClient(waymark.installation.database.db, {
      accountId,
      name: 'Camera',
      scope: 'images:read images:write',
      now: waymark.system.now(),
      isPublic: false,
      redirectUris: [],
    })
    waymark.secrets.note('client secret', clientSecret)
    const dataDir = await newFolder(t)
    const settings = {
      WAYMARK_URL: site.url,
      XDG_CONFIG_HOME: path.join(dataDir, 'config'),
      XDG_STATE_HOME: path.join(dataDir, 'state'),
    }
    const login = atTerminal(t, ['login', '--client-id', clientId], dataDir, settings)
    await until(() => login.screen.text.includes('Client secret'), 'the prompt')
    login.child.stdin.write(`${clientSecret}\r`)
    assert.equal((await login.closed)[0], 0, login.screen.text)
    assert.match(login.screen.text, /Signed in to .* as Camera\./)
    assert.ok(!login.screen.text.includes(clientSecret.slice(0, 12)))

    const photos = path.join(dataDir, 'photos')
    await mkdir(photos)
    for (const seed of [1, 2, 3])
      await writeFile(
        path.join(photos, `${seed}.png`),
        await pngPicture({ seed, width: 20 + seed, height: 20 }),
      )
    await writeFile(path.join(photos, 'wrong.jpg'), 'no photo')
    const upload = atTerminal(t, ['upload', photos, '--trail', '4711'], dataDir, settings)
    assert.equal((await upload.closed)[0], 2, upload.screen.text)
    assert.match(upload.screen.text, /4 of 4 files, [\d.,]+ (?:bytes|kB) sent/)
    assert.match(upload.screen.text, /[━█]/u)
    assert.match(
      upload.screen.text,
      /wrong\.jpg: refused\. It is not a .*\r?\n4 files: 3 uploaded, 1 refused/,
    )
    assert.doesNotMatch(upload.screen.text, /1\.png: uploaded/)
  },
)

void test(
  'a sentence of a server that asks to wait cannot control the terminal',
  { skip, timeout: 90_000 },
  async (t) => {
    const escape = '\u001B]0;taken over\u0007'
    const server = createServer((_request, response) => {
      const problem = { type: '/problems/busy', title: 'Busy', status: 503, detail: `Please wait ${escape}.` }
      response
        .writeHead(503, { 'content-type': 'application/problem+json', 'retry-after': '600' })
        .end(JSON.stringify(problem))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    t.after(() => server.close())
    const { port } = server.address() as AddressInfo
    const dataDir = await newFolder(t)
    const photo = path.join(dataDir, '1.png')
    await writeFile(photo, await pngPicture({ width: 20, height: 20 }))
    const settings = {
      WAYMARK_URL: `http://127.0.0.1:${port}`,
      WAYMARK_TOKEN: 'a-token',
      XDG_CONFIG_HOME: path.join(dataDir, 'config'),
      XDG_STATE_HOME: path.join(dataDir, 'state'),
    }
    const upload = atTerminal(t, ['upload', photo, '--trail', '4711'], dataDir, settings)
    // This terminal has no width, so the bar breaks after every character.
    const text = (): string => upload.screen.text.replaceAll(/\s/g, '')
    await until(() => text().includes('takenover'), 'the wait')
    assert.ok(text().includes('?]0;takenover?'), text())
    assert.ok(!text().includes('\u0007'))
  },
)
