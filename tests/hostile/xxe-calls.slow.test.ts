// System calls while XML refers to files and URLs: no file is opened and no connection made (trust 32).
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { trailId } from '../faults/harness/installation.ts'
import { until } from '../faults/harness/server.ts'
import { jpegPicture } from '../helpers/pictures.ts'
import { readByGlibc, whyNoStrace } from '../helpers/tools.ts'
import { send } from '../helpers/wire.ts'
import { startService } from './service.ts'
import { encodings, entityDocuments, includingDocuments } from './xxe.ts'

const skip = whyNoStrace()
const target = 'http://127.0.0.1:9/evil.dtd'

void test('trust 32: XML opens no file and no connection, as the kernel reports', { skip }, async (t) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'waymark-strace-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const calls = path.join(folder, 'calls')
  const under = ['strace', '-f', '-o', calls, '-e', 'trace=open,openat,openat2,connect,execve']
  const service = await startService({ under })
  t.after(() => service.end())
  const { text: imageId } = await service.post(await jpegPicture({ width: 24, height: 16 }))
  const headers = { authorization: `Bearer ${service.token}` }
  const put = ({ type, body }: { type: string; body: Buffer }): Promise<Response> =>
    send(service.server.url, {
      method: 'PUT',
      path: `/Trails/${trailId}/Images/${imageId}`,
      headers: { ...headers, 'content-type': type },
      body,
    })
  await put({ type: 'application/xml', body: Buffer.from('<TrailImageDetails/>') }) // triggers lazy imports

  const seenBefore = (await readFile(calls, 'utf8')).length
  for (const xml of [...entityDocuments(target), ...includingDocuments(target)])
    for (const encoded of encodings(xml)) assert.ok((await put(encoded)).status < 500)
  // A file that the server does open, so everything before it has been seen.
  await (await service.view(Number(imageId), 'lg')).arrayBuffer()
  let seen = ''
  await until(async () => {
    seen = (await readFile(calls, 'utf8')).slice(seenBefore)
    return seen.includes(service.dataDir)
  }, 'strace to tell of the photo')
  const ours = new RegExp(service.dataDir.replaceAll(/[^\w/]/g, '.'))
  const strange = seen
    .split('\n')
    .filter(
      (line) => /\b(open\w*|connect|execve)\(/.test(line) && !ours.test(line) && !readByGlibc.test(line),
    )
  assert.deepEqual(strange, [])
})
