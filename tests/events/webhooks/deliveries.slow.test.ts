// Webhook deliveries: signed, retried until accepted, and given up by rules (contract Part D, trust 57).
import assert from 'node:assert/strict'
import { after, beforeEach, describe, it } from 'node:test'
import { startDeliveries } from './harness.ts'
import { addWebhook, answerWith, ask, isSigned } from './receiver.ts'

const hourMs = 3_600_000
const harness = await startDeliveries()
const { waymark, ana, pass, work, upload, receive, webhookNow, deliveries, only } = harness
const rotate = (id: number, token: string) => ask(waymark, `/${id}/rotate`, { token })

describe('deliveries of webhooks', () => {
  after(harness.close)
  beforeEach(harness.takeNewPerson)

  it('trust 57: an event is posted once, as Standard Webhooks specifies, and logged', async () => {
    const receiver = await receive()
    await upload() // before the webhook existed: not sent
    const { id, secret } = await addWebhook(waymark, ana().token, receiver.url, ['image.uploaded'])
    const imageID = await upload()
    await work()
    await work()
    assert.equal(receiver.received.length, 1)
    const [received] = receiver.received
    assert.ok(received)
    const { headers, body } = received
    assert.deepEqual(JSON.parse(body), {
      type: 'image.uploaded',
      timestamp: '2026-05-14T09:08:07.000Z',
      data: { imageID, trailID: 7, status: 'pending' },
    })
    assert.equal(headers['content-type'], 'application/json')
    assert.equal(headers['user-agent'], 'Waymark')
    assert.equal(headers['webhook-timestamp'], String(Date.UTC(2026, 4, 14, 9, 8, 7) / 1_000))
    assert.ok(isSigned(received, secret))
    assert.ok(!isSigned({ ...received, body: `${body} ` }, secret), 'another body')
    const tooLate = { ...headers, 'webhook-timestamp': '1778749688' }
    assert.ok(!isSigned({ ...received, headers: tooLate }, secret), 'another moment')
    const { attempts, position, ...delivery } = await only(id)
    assert.equal(headers['webhook-id'], `msg_${delivery.id}`)
    assert.deepEqual(delivery, {
      id: delivery.id,
      type: 'image.uploaded',
      at: '2026-05-14T09:08:07.000Z',
      state: 'delivered',
      nextAt: null,
    })
    assert.equal(typeof position, 'number')
    assert.deepEqual(
      attempts.map(({ status, error }) => [status, error]),
      [[204, null]],
    )
    const anew = (await (await rotate(id, ana().token)).json()) as { secret: string }
    assert.notEqual(anew.secret, secret)
    await upload()
    await work()
    assert.ok(
      receiver.received[1] && isSigned(receiver.received[1], anew.secret),
      'the new secret signs at once',
    )
    await upload()
    const later = await receive()
    await addWebhook(waymark, ana().token, later.url)
    await work()
    assert.deepEqual([receiver.received.length, later.received.length], [3, 0], 'from its making on')
  })

  it('issue 6: a receiver that fails five times and then succeeds: exactly one delivery is done', async () => {
    const receiver = await receive((response, times) => void response.writeHead(times > 5 ? 200 : 500).end())
    const { id, secret } = await addWebhook(waymark, ana().token, receiver.url)
    await upload()
    for (const waitMs of [0, 6_000, 360_000, 2_160_000, 8_640_000, 21_600_000]) {
      await pass(waitMs)
      await work()
    }
    assert.equal(receiver.received.length, 6)
    const ids = new Set(receiver.received.map(({ headers }) => headers['webhook-id']))
    assert.equal(ids.size, 1, 'the same id every time')
    assert.equal(new Set(receiver.received.map(({ body }) => body)).size, 1, 'the same body every time')
    assert.ok(receiver.received.every((received) => isSigned(received, secret)))
    const { state, attempts, nextAt } = await only(id)
    assert.deepEqual([state, nextAt], ['delivered', null])
    assert.deepEqual(
      attempts.map(({ status }) => status),
      [500, 500, 500, 500, 500, 200],
    )
    await pass(30 * hourMs)
    await work()
    assert.equal(receiver.received.length, 6)
    assert.equal((await webhookNow(id)).failingSince, null)
  })

  it('waits between attempts as configured, and a little longer; then gives up', async () => {
    const receiver = await receive(answerWith(503))
    const { id } = await addWebhook(waymark, ana().token, receiver.url)
    await upload()
    await work()
    for (const seconds of [5, 300, 1_800, 7_200, 18_000, 36_000, 36_000, 36_000, 36_000, 36_000]) {
      const { state, nextAt } = await only(id)
      const waitMs = Date.parse(nextAt ?? '') - waymark.system.now()
      assert.ok(waitMs >= seconds * 1_000 && waitMs <= seconds * 1_200, `${waitMs} ms for ${seconds} s`)
      assert.equal(state, 'waiting')
      const times = receiver.received.length
      await pass(waitMs - 1)
      await work()
      assert.equal(receiver.received.length, times, 'not before its time')
      await pass(1)
      await work()
    }
    assert.deepEqual([receiver.received.length, (await only(id)).state], [11, 'failed'])
    assert.equal((await webhookNow(id)).disabled, false, 'two and a half days are not five')
    await pass(60 * hourMs)
    await upload()
    for (let round = 0; round < 11; round += 1) {
      await work()
      await pass(12 * hourMs)
    }
    const { disabled, disabledReason } = await webhookNow(id)
    assert.deepEqual([disabled, disabledReason], [true, 'All attempts failed for five days.'])
  })

  it('honours Retry-After, up to ten hours', async () => {
    const now = waymark.system.now()
    const date = new Date(now + 600_000).toUTCString()
    for (const [after, at] of [
      ['120', now + 120_000],
      ['999999', now + 36_000_000],
      [date, Date.parse(date)],
    ] as const) {
      const receiver = await receive(answerWith(429, { 'retry-after': after }))
      const { id } = await addWebhook(waymark, ana().token, receiver.url)
      await upload()
      await work()
      const { nextAt } = await only(id)
      assert.equal(Date.parse(nextAt ?? ''), at)
      await ask(waymark, `/${id}`, { token: ana().token, method: 'DELETE' })
    }
  })

  it('410 disables the webhook with its reason, and fails waiting deliveries; once enabled again, it receives new events', async () => {
    const receiver = await receive(answerWith(500))
    const { id } = await addWebhook(waymark, ana().token, receiver.url)
    await upload()
    await work()
    await pass(3_000)
    await upload()
    await work()
    receiver.answer = answerWith(410)
    await pass(3_000) // time to retry the first, not the second
    await work()
    assert.equal(receiver.received.length, 3)
    const { disabled, disabledReason } = await webhookNow(id)
    assert.deepEqual([disabled, disabledReason], [true, 'The receiver responded with 410 Gone.'])
    assert.deepEqual(
      (await deliveries(id)).map(({ state }) => state),
      ['failed', 'failed'],
    )
    const times = receiver.received.length
    await upload()
    await pass(hourMs)
    await work()
    assert.equal(receiver.received.length, times, 'a disabled one is told of nothing')
    const [delivery] = await deliveries(id)
    const replay = `/${id}/deliveries/${delivery?.id}/replay`
    const refused = await ask(waymark, replay, { token: ana().token })
    assert.equal(refused.status, 409)
    assert.match(await refused.text(), /The webhook is disabled/)
    receiver.answer = answerWith(200)
    await upload() // not looked at yet when it is enabled
    const body = { disabled: false }
    assert.equal((await ask(waymark, `/${id}`, { token: ana().token, method: 'PATCH', body })).status, 200)
    await work()
    assert.equal(receiver.received.length, times, 'nor of what happened meanwhile')
    await upload()
    await work()
    assert.equal(receiver.received.length, times + 1)
    assert.equal((await ask(waymark, replay, { token: ana().token })).status, 202)
    await work()
    assert.equal(receiver.received.length, times + 2)
    assert.equal(receiver.received.at(-1)?.headers['webhook-id'], `msg_${delivery?.id}`)
  })
})
