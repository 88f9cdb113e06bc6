// Shared by the tests of deliveries: an installation, a person with new webhooks for each test, and its clock.
import assert from 'node:assert/strict'
import type { DeliverySet, Webhook } from '../../../src/shared/v2/webhook-schemas.ts'
import { scopes } from '../../../src/auth/scopes.ts'
import { jpegPicture } from '../../helpers/pictures.ts'
import { startWaymark, type Person, type Waymark } from '../../helpers/waymark.ts'
import { answerWith, ask, onLoopback, startReceiver, type Answer } from './receiver.ts'

type Delivery = DeliverySet['items'][number]

/** Starts a Waymark whose webhooks may reach receivers of the test, with one trail. */
export async function startDeliveries() {
  const waymark: Waymark = await startWaymark(onLoopback)
  await waymark.addTrail(7, 'Trail')
  const closing: (() => void)[] = []
  let pictures = 0
  let ana: Person = await waymark.addPerson()

  const read = async (path: string): Promise<unknown> =>
    (await ask(waymark, path, { token: ana.token, method: 'GET' })).json()
  const deliveries = async (id: number): Promise<Delivery[]> =>
    ((await read(`/${id}/deliveries`)) as DeliverySet).items

  return {
    waymark,
    ana: (): Person => ana,
    /** Each test has webhooks of its own. */
    takeNewPerson: async (): Promise<void> => {
      ana = await waymark.addPerson()
    },
    /** Advances the clock, which expires tokens, so a new one is created. */
    pass: async (milliseconds: number): Promise<void> => {
      waymark.system.advance(milliseconds)
      ana = { ...ana, token: await waymark.tokenFor(ana.accountId, scopes.join(' ')) }
    },
    work: () => waymark.app.services.webhooks.workAll(),
    upload: async (): Promise<number> => {
      pictures += 1
      return waymark.upload(ana, 7, await jpegPicture({ width: 10 + pictures, height: 8 }))
    },
    receive: (answer: Answer = answerWith(204)) => startReceiver((close) => void closing.push(close), answer),
    webhookNow: async (id: number): Promise<Webhook> => (await read(`/${id}`)) as Webhook,
    deliveries,
    only: async (id: number): Promise<Delivery> => {
      const [delivery, ...others] = await deliveries(id)
      assert.ok(delivery && others.length === 0)
      return delivery
    },
    close: async (): Promise<void> => {
      for (const close of closing) close()
      await waymark.close()
    },
  }
}
