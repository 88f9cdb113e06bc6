// Signatures according to Standard Webhooks and its published example; and the retry schedule (trust 57).
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { waitAfter } from '../../../src/events/webhooks/backoff.ts'
import { newSecret, signatureOf } from '../../../src/events/webhooks/signature.ts'
import { newFolder } from '../../helpers/folders.ts'

void test('trust 57: the published example of Standard Webhooks is signed as published', () => {
  const signed = {
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    timestamp: 1_614_265_330,
    body: '{"test": 2432232314}',
  }
  const signature = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='
  assert.equal(signatureOf('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', signed), signature)
})

void test('trust 57: a secret has 32 random bytes, within the 24 to 64 of Standard Webhooks', () => {
  const secrets = new Set(Array.from({ length: 100 }, newSecret))
  assert.equal(secrets.size, 100)
  for (const secret of secrets) {
    assert.match(secret, /^whsec_/)
    assert.equal(Buffer.from(secret.slice(6), 'base64').length, 32)
  }
})

void test('delays grow as listed, with up to a fifth more at random, and end with the list', () => {
  const backoff = [5, 300]
  assert.equal(
    waitAfter({ attempts: 1 }, backoff, () => 0),
    5_000,
  )
  assert.equal(
    waitAfter({ attempts: 2 }, backoff, () => 0.5),
    330_000,
  )
  assert.equal(waitAfter({ attempts: 3 }, backoff), undefined)
  assert.equal(
    waitAfter({ attempts: 1, retryAfterMs: 60_000 }, backoff, () => 0),
    60_000,
  )
  assert.equal(
    waitAfter({ attempts: 2, retryAfterMs: 60_000 }, backoff, () => 0),
    300_000,
  )
  assert.equal(waitAfter({ attempts: 3, retryAfterMs: 60_000 }, backoff), undefined, 'given up all the same')
})

type Verify = (headers: Record<string, string>, body: string, secret: string, now?: number) => boolean

void test('trust 57: the verifier in docs/webhooks.md accepts signed deliveries, for five minutes, and nothing else', async (t) => {
  const text = await readFile(path.resolve(import.meta.dirname, '../../../docs/webhooks.md'), 'utf8')
  const code = /```js\n([\s\S]*?)```/.exec(text)?.[1] ?? ''
  const file = path.join(await newFolder(t), 'verify.mjs')
  await writeFile(file, code)
  const { isFromWaymark } = (await import(pathToFileURL(file).href)) as { isFromWaymark: Verify }
  const secret = newSecret()
  const [id, timestamp, body] = ['msg_1', 1_778_749_687, '{"type":"webhook.test"}']
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatureOf(secret, { id, timestamp, body }),
  }
  const now = timestamp * 1_000
  assert.ok(isFromWaymark(headers, body, secret, now + 299_000))
  const two = { ...headers, 'webhook-signature': `v1,AAAA ${headers['webhook-signature']}` }
  assert.ok(isFromWaymark(two, body, secret, now))
  assert.ok(!isFromWaymark(headers, body, secret, now + 301_000), 'a replay')
  assert.ok(!isFromWaymark(headers, body, secret, now - 301_000))
  assert.ok(!isFromWaymark(headers, `${body} `, secret, now))
  assert.ok(!isFromWaymark({ ...headers, 'webhook-id': 'msg_2' }, body, secret, now))
  assert.ok(!isFromWaymark({ ...headers, 'webhook-timestamp': 'x' }, body, secret, now))
  assert.ok(!isFromWaymark(headers, body, newSecret(), now))
  assert.ok(!isFromWaymark({}, body, secret, now))
})
