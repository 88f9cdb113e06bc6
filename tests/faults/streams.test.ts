// A real server with event streams and a mail server: it stops immediately, and sends email to staff by itself.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import path from 'node:path'
import { bearer, openStream } from '../events/listener.ts'
import { newFolder } from '../helpers/folders.ts'
import { startMailServer } from '../helpers/mail-server.ts'
import { prepare, tokenOf, trailId } from './harness/installation.ts'
import { smallPng } from './harness/pictures.ts'
import { startServer, until } from './harness/server.ts'

void test('trust 7: SIGTERM with open streams ends them properly, at once and with 0; the next start sends waiting mails', async (t) => {
  const dataDir = path.join(await newFolder(t), 'data')
  const authorization = await prepare(dataDir)
  const server = await startServer({ dataDir })
  t.after(() => server.end('SIGKILL'))
  const token = await tokenOf(server.url, authorization)
  const streams = await Promise.all(
    Array.from({ length: 20 }, () => openStream(server, { headers: bearer({ token }) })),
  )
  const upload = await fetch(`${server.url}/Trails/${trailId}/Images`, {
    method: 'POST',
    headers: { ...bearer({ token }), 'content-type': 'image/png' },
    body: new Uint8Array(smallPng(1)),
  })
  assert.equal(upload.status, 201)
  await Promise.all(streams.map((stream) => stream.receives(1)))
  const begun = performance.now()
  const { code } = await server.end('SIGTERM')
  const stoppedMs = Math.round(performance.now() - begun)
  assert.equal(code, 0)
  assert.ok(stoppedMs < 4_000, `${stoppedMs} ms`)
  assert.ok(streams.every(({ answer }) => answer.complete))
  t.diagnostic(`20 streams, stopped in ${stoppedMs} ms`)

  const mailServer = await startMailServer()
  t.after(() => mailServer.close())
  const settings = { SMTP_URL: mailServer.url, REVIEW_MAIL_HOUR: '0' }
  const next = await startServer({ dataDir, settings })
  t.after(() => next.end('SIGKILL'))
  await until(() => mailServer.mails.length > 0, 'the mail about what waits')
  assert.match(mailServer.mails[0]?.text ?? '', /^Subject: \[Waymark\] 1 photo is pending review$/m)
  assert.equal((await next.end('SIGTERM')).code, 0)
})
