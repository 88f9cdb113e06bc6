// The delivery job: a slow receiver delays no one, several nodes share the work, and abandoned attempts are resumed.
import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { after, beforeEach, describe, it } from 'node:test'
import { createApp } from '../../../src/app.ts'
import type { DeliverySet } from '../../../src/shared/v2/webhook-schemas.ts'
import { switchReadOnlyOff, switchReadOnlyOn } from '../../../src/database/read-only.ts'
import { endLease, lease, listDue } from '../../../src/events/webhooks/delivery-table.ts'
import { startDeliveries } from './harness.ts'
import { addWebhook, answerWith, ask, isSigned } from './receiver.ts'

const dayMs = 86_400_000
const harness = await startDeliveries()
const { waymark, ana, pass, work, upload, receive, webhookNow, deliveries, only } = harness

describe('the work behind deliveries', () => {
  after(harness.close)
  beforeEach(harness.takeNewPerson)

  it('a slow receiver does not delay others', async () => {
    const silent: ServerResponse[] = []
    const someSlow = Promise.withResolvers<void>()
    const slow = await receive((response, times) => {
      silent.push(response)
      if (times === 4) someSlow.resolve()
    })
    const allFast = Promise.withResolvers<void>()
    const fast = await receive((response, times) => {
      response.end()
      if (times === 4) allFast.resolve()
    })
    const bea = await waymark.addPerson()
    for (let made = 0; made < 3; made += 1) await addWebhook(waymark, ana().token, slow.url)
    await addWebhook(waymark, ana().token, fast.url)
    await addWebhook(waymark, bea.token, fast.url)
    for (let made = 0; made < 4; made += 1) await upload()
    const worked = work()
    await Promise.race([Promise.all([allFast.promise, someSlow.promise]), worked])
    assert.equal(fast.received.length, 4, 'all of them while the slow one keeps silent')
    const leased = await waymark.installation.database.db
      .selectFrom('delivery')
      .innerJoin('webhook', 'webhook.id', 'webhook_id')
      .select('delivery.id')
      .where('url', '=', slow.url)
      .where('next_at', '=', waymark.system.now() + 30_000)
      .execute()
    assert.equal(
      leased.length,
      4,
      'no more than four at once, and each leased, so that no other node takes it',
    )
    slow.answer = answerWith(204)
    for (const response of silent) response.end()
    await worked
    assert.equal(slow.received.length, 12)
  })

  it('a test delivery is sent at once, once, and reports its result', async () => {
    const receiver = await receive(answerWith(500))
    const { id, secret } = await addWebhook(waymark, ana().token, receiver.url, ['route.created'])
    const answer = await ask(waymark, `/${id}/test`, { token: ana().token })
    const again = await ask(waymark, `/${id}/test`, { token: ana().token })
    assert.deepEqual([answer.status, again.status], [202, 202])
    const { id: deliveryId } = (await answer.json()) as { id: number }
    assert.equal(
      ((await again.json()) as { id: number }).id,
      deliveryId,
      'one that waits is not joined by another',
    )
    await work()
    await pass(dayMs)
    await work()
    assert.equal(receiver.received.length, 1)
    const [received] = receiver.received
    assert.ok(received && isSigned(received, secret))
    const { type, data } = JSON.parse(received.body) as { type: string; data: unknown }
    assert.deepEqual([type, data], ['webhook.test', { webhookID: id }])
    const { state, attempts, position } = await only(id)
    assert.deepEqual(
      [state, position, attempts[0]?.error],
      ['failed', null, 'The receiver responded with 500.'],
    )
    assert.equal((await webhookNow(id)).failingSince, null, 'a test is no sign of a failing receiver')
    const metrics = await (await waymark.fetch('/metrics')).text()
    assert.match(metrics, /^waymark_webhook_attempts_total\{outcome="failed"\} [1-9]/m)
    assert.match(metrics, /^waymark_webhook_deliveries_waiting \d/m)
  })

  it('an attempt that died with its process is repeated once its lease has expired', async () => {
    const receiver = await receive()
    const { id } = await addWebhook(waymark, ana().token, receiver.url)
    await upload()
    const { db } = waymark.installation.database
    receiver.answer = answerWith(500)
    await work()
    // The row during an attempt.
    const leased = { next_at: waymark.system.now() + 30_000, attempts: 2 }
    await db.updateTable('delivery').set(leased).where('webhook_id', '=', id).execute()
    receiver.answer = answerWith(204)
    await pass(29_999)
    await work()
    assert.equal(receiver.received.length, 1)
    await pass(1)
    await work()
    assert.deepEqual([receiver.received.length, (await only(id)).state], [2, 'delivered'])
  })

  it('nothing is sent or stored while the installation is read-only', async () => {
    const receiver = await receive()
    await addWebhook(waymark, ana().token, receiver.url)
    await upload()
    const { db } = waymark.installation.database
    await switchReadOnlyOn(db, waymark.system.now(), 'moving')
    await work()
    assert.equal(receiver.received.length, 0)
    await switchReadOnlyOff(db)
    await work()
    assert.equal(receiver.received.length, 1)
  })

  it('several nodes make one delivery of each event, and one attempt of each delivery', async () => {
    const receiver = await receive()
    const { id } = await addWebhook(waymark, ana().token, receiver.url)
    for (let made = 0; made < 5; made += 1) await upload()
    const other = await createApp(waymark.installation)
    await Promise.all([work(), other.services.webhooks.workAll(), work(), other.services.webhooks.workAll()])
    await other.close()
    assert.equal(receiver.received.length, 5)
    assert.equal((await deliveries(id)).length, 5)
  })

  it('of two nodes that found the same delivery one takes it, and a late result changes nothing', async () => {
    const receiver = await receive(answerWith(500))
    const { id } = await addWebhook(waymark, ana().token, receiver.url)
    await upload()
    await work()
    await pass(6_000)
    const { db } = waymark.installation.database
    const now = waymark.system.now()
    const found = await listDue(db, { now, limit: 100, busyWebhooks: [] })
    const due = found.find(({ webhookId }) => webhookId === id)
    assert.ok(due)
    const take = (until: number) => db.transaction().execute((tx) => lease(tx, due, until))
    assert.deepEqual([await take(now + 1_000), await take(now + 2_000)], [true, false])
    const ended = { state: 'delivered', nextAt: null, finishedAt: now } as const
    const end = (until: number) => db.transaction().execute((tx) => endLease(tx, due.id, until, ended))
    assert.deepEqual(
      [await end(now + 2_000), await end(now + 1_000), await end(now + 1_000)],
      [false, true, false],
    )
    assert.equal((await only(id)).state, 'delivered')
  })

  it('finished deliveries are deleted after 30 days, waiting ones are not', async () => {
    const receiver = await receive()
    const { id } = await addWebhook(waymark, ana().token, receiver.url)
    await upload()
    await work()
    await pass(31 * dayMs)
    receiver.answer = answerWith(500)
    await upload()
    await work()
    assert.equal((await deliveries(id)).length, 2)
    assert.notEqual(await waymark.app.services.webhooks.sweep(), 0)
    assert.deepEqual(
      (await deliveries(id)).map(({ state }) => state),
      ['waiting'],
    )
  })

  it('the log of deliveries is paged, newest first', async () => {
    const receiver = await receive()
    const { id } = await addWebhook(waymark, ana().token, receiver.url)
    for (let made = 0; made < 5; made += 1) {
      await pass(1_000)
      await upload()
    }
    await work()
    const seen: number[] = []
    let cursor = ''
    do {
      const path = `/${id}/deliveries?limit=2${cursor}`
      const page = (await (
        await ask(waymark, path, { token: ana().token, method: 'GET' })
      ).json()) as DeliverySet
      seen.push(...page.items.map(({ position }) => position ?? 0))
      cursor = page.next === null ? '' : `&cursor=${page.next}`
    } while (cursor !== '')
    assert.equal(seen.length, 5)
    assert.deepEqual(
      seen,
      seen.toSorted((one, other) => other - one),
    )
    const broken = await ask(waymark, `/${id}/deliveries?cursor=x`, { token: ana().token, method: 'GET' })
    assert.equal(broken.status, 400)
  })
})
