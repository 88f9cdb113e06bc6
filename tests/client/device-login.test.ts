// Waiting for a person to allow a device: pending responses, and network faults.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createOauth } from '../../client/client.ts'

void test('C29 an error from a proxy in the meantime does not end the sign-in', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const device = {
    device_code: 'device',
    user_code: 'ABCD-EFGH',
    verification_uri: 'https://trails.example/device',
    expires_in: 600,
    interval: 5,
  }
  const answers = [
    () => Response.json(device),
    () => Response.json({ error: 'authorization_pending' }, { status: 400 }),
    () => new Response('<h1>Bad gateway</h1>', { status: 502 }),
    () => Response.json({ access_token: 'access', expires_in: 900 }),
  ]
  const oauth = createOauth({
    baseUrl: 'https://trails.example',
    clientId: 'app',
    fetch: async () => answers.shift()?.() ?? Response.error(),
  })
  const { poll } = await oauth.device()
  const waiting = { isOver: false }
  const polled = poll().finally(() => (waiting.isOver = true))
  while (!waiting.isOver) {
    t.mock.timers.tick(5_000)
    await new Promise(setImmediate)
  }
  assert.equal((await polled).accessToken, 'access')
})

void test('C29 refusing ends it at once', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const answers = [
    () =>
      Response.json({
        device_code: 'd',
        user_code: 'u',
        verification_uri: 'https://t.example',
        expires_in: 600,
      }),
    () => Response.json({ error: 'access_denied' }, { status: 400 }),
  ]
  const oauth = createOauth({
    baseUrl: 'https://trails.example',
    clientId: 'app',
    fetch: async () => answers.shift()?.() ?? Response.error(),
  })
  const { poll } = await oauth.device()
  const polled = assert.rejects(poll(), { code: 'access_denied' })
  t.mock.timers.tick(5_000)
  await polled
})
