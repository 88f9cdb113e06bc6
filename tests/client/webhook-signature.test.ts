// Verification of webhooks: compared with the server's signatures, and with the example of the standard.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { readWebhook } from '../../client/client.ts'
import { newSecret, signatureOf } from '../../src/events/webhooks/signature.ts'

const secret = newSecret()
const nowSeconds = 1_778_749_687
const body =
  '{"type":"image.approved","timestamp":"2026-05-14T09:08:07.000Z","data":{"imageID":42,"note":"Grüße"}}'

/** As the server signs it. */
function headersFor({ id = 'msg_1', timestamp = nowSeconds, by = secret } = {}) {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatureOf(by, { id, timestamp, body }),
  }
}

const stopClock = (t: TestContext, seconds = nowSeconds): void =>
  t.mock.timers.enable({ apis: ['Date'], now: seconds * 1_000 })

void test('a signed webhook is verified, with the headers of Node or of the web, as text or bytes', async (t) => {
  stopClock(t)
  const message = {
    id: 'msg_1',
    type: 'image.approved',
    timestamp: '2026-05-14T09:08:07.000Z',
    data: { imageID: 42, note: 'Grüße' },
  }
  const headers = headersFor()
  assert.deepEqual(await readWebhook({ headers, body, secret }), message)
  assert.deepEqual(await readWebhook({ headers: new Headers(headers), body, secret }), message)
  assert.deepEqual(await readWebhook({ headers, body: Buffer.from(body), secret }), message)
})

void test('the example of Standard Webhooks', async (t) => {
  stopClock(t, 1_614_265_330)
  const read = await readWebhook({
    headers: {
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    },
    body: '{"test": 2432232314}',
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  })
  assert.equal(read.id, 'msg_p5jXN8AQM9LWM0D4loKWxJek')
})

void test('one of several signatures is enough, and one of several secrets during a rotation', async (t) => {
  stopClock(t)
  const headers = headersFor()
  const signature = `v1,AAAA v1a,${'A'.repeat(86)}== ${headers['webhook-signature']}`
  await readWebhook({ headers: { ...headers, 'webhook-signature': signature }, body, secret })
  await readWebhook({ headers, body, secret: [newSecret(), secret] })
})

for (const [what, change, code] of [
  ['another body', { body: `${body} ` }, 'wrong-signature'],
  ['another id', { headers: { ...headersFor(), 'webhook-id': 'msg_2' } }, 'wrong-signature'],
  [
    'another time',
    { headers: { ...headersFor(), 'webhook-timestamp': `${nowSeconds + 1}` } },
    'wrong-signature',
  ],
  ['another secret', { secret: newSecret() }, 'wrong-signature'],
  ['no secret', { secret: [] }, 'wrong-signature'],
  ['no signature', { headers: { ...headersFor(), 'webhook-signature': undefined } }, 'wrong-signature'],
  [
    'a signature that is no base64',
    { headers: { ...headersFor(), 'webhook-signature': 'v1,§' } },
    'wrong-signature',
  ],
  ['five minutes late', { headers: headersFor({ timestamp: nowSeconds - 301 }) }, 'stale-webhook'],
  ['five minutes early', { headers: headersFor({ timestamp: nowSeconds + 301 }) }, 'stale-webhook'],
  [
    'two seconds late where one is allowed',
    { headers: headersFor({ timestamp: nowSeconds - 2 }), toleranceSeconds: 1 },
    'stale-webhook',
  ],
  ['no headers', { headers: {} }, 'no-webhook'],
] as const)
  void test(`refused: ${what}`, async (t) => {
    stopClock(t)
    const received = { headers: headersFor(), body, secret, ...change }
    await assert.rejects(readWebhook(received), { name: 'WaymarkProblem', status: 400, code })
  })
