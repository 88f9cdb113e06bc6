// examples/pkce-page in Chromium, following its README: a page at another origin, with the packed package and no bundler.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { cp, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { after, test, type TestContext } from 'node:test'
import { registerClient } from '../../src/auth/oauth/oauth-clients.ts'
import { installIn, packAll, root } from '../client/packages.ts'
import { newFolder } from '../helpers/folders.ts'
import { jpegPicture } from '../helpers/pictures.ts'
import { addMember } from '../helpers/visitor.ts'
import { openBrowser } from './harness.ts'
import { startSite } from './site.ts'

const packed = await packAll()
after(packed.remove)

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
}

/**
 * A static web server.
 * @returns the origin.
 */
async function serveFolder(t: TestContext, folder: string): Promise<string> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://127.0.0.1')
    const file = path.join(folder, pathname.endsWith('/') ? `${pathname}index.html` : pathname)
    readFile(file).then(
      (bytes) => response.writeHead(200, { 'content-type': types[path.extname(file)] }).end(bytes),
      () => response.writeHead(404).end(),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

void test('Chromium: the example page signs people in, lists their photos and signs out; a refusal is shown', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const { waymark, url, origin } = await startSite(t)
  await waymark.addTrail(4711, 'Ridge')
  const member = await addMember(waymark)
  const token = await waymark.tokenFor(member.accountId, 'images:write')
  await waymark.upload({ accountId: member.accountId, token }, 4711, await jpegPicture())

  const folder = await newFolder(t)
  await installIn(folder, [packed.client])
  const page = path.join(folder, 'pkce-page')
  await cp(path.join(root, 'examples/pkce-page'), page, { recursive: true })
  await cp(path.join(folder, 'node_modules/@waymark/client/dist'), path.join(page, 'client'), {
    recursive: true,
  })
  const ownOrigin = await serveFolder(t, folder)
  const address = `${ownOrigin}/pkce-page/`
  const { clientId } = await registerClient(waymark.installation.database.db, {
    accountId: member.accountId,
    name: 'Gallery',
    scope: 'images:read',
    now: waymark.system.now(),
    isPublic: true,
    redirectUris: [address],
  })
  const script = await readFile(path.join(page, 'page.js'), 'utf8')
  const filled = script.replace('https://trails.example', url).replace('YOUR_CLIENT', clientId)
  await writeFile(path.join(page, 'page.js'), filled)

  const { page: tab, pageErrors } = await browser.visit({ origins: [origin, ownOrigin] })
  await tab.goto(address)
  await tab.getByRole('button', { name: 'Sign in with Waymark' }).click()
  await tab.getByLabel('Email address').fill(member.email)
  await tab.getByLabel('Password').fill(member.password)
  await tab.getByRole('button', { name: 'Sign in' }).click()
  await tab.getByRole('button', { name: 'Allow' }).click()
  await tab.getByText(/^Signed in as Member/).waitFor()
  await tab.getByRole('listitem').filter({ hasText: 'Untitled (Ridge)' }).waitFor()
  assert.equal(tab.url(), address, 'the code is no longer in the address')
  assert.equal(await tab.evaluate('JSON.stringify([{ ...sessionStorage }, { ...localStorage }])'), '[{},{}]')

  await tab.getByRole('button', { name: 'Sign out' }).click()
  await tab.getByRole('button', { name: 'Sign in with Waymark' }).click()
  await tab.getByRole('button', { name: 'Deny' }).click()
  await tab.getByText('You did not allow it.').waitFor()
  assert.deepEqual(pageErrors, [])
})
