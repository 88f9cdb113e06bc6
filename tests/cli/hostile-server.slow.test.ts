// What a hostile server may send to commands that write files.
import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { test } from 'node:test'
import { newFolder } from '../helpers/folders.ts'
import { assertOneSentence, run } from './run-waymark.ts'

void test('routes export writes nothing outside its folder, whatever the server takes for an ID', async (t) => {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://server')
    if (pathname === '/v2/me') return response.end(JSON.stringify({ acctID: 1 }))
    if (!pathname.startsWith('/v2/accounts/')) return response.end('<gpx>planted</gpx>')
    const route = { routeID: '/../../planted', name: 'Round' }
    return response.end(JSON.stringify({ items: [route], next: null }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const { port } = server.address() as AddressInfo
  const dataDir = await newFolder(t)
  const to = path.join(dataDir, 'routes')
  const settings = { WAYMARK_URL: `http://127.0.0.1:${port}`, WAYMARK_TOKEN: 'a-token' }
  const { exitCode, stderr } = await run(['routes', 'export', '--to', to], { dataDir, settings })
  assert.deepEqual(await readdir(dataDir), ['routes'])
  assert.equal(exitCode, 2)
  assertOneSentence(stderr)
  assert.deepEqual(await readdir(to), [])
})
