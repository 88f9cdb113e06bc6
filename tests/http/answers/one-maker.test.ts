// If many clients request the same after a change, it is generated once, and all get that response.
import assert from 'node:assert/strict'
import { Agent, get } from 'node:http'
import { test } from 'node:test'
import { jpegPicture } from '../../helpers/pictures.ts'
import { startWaymark } from '../../helpers/waymark.ts'

const crowd = 50

void test('of 50 simultaneous requests after a change, one builds the response for all', async (t) => {
  const waymark = await startWaymark()
  const agent = new Agent({ keepAlive: true, maxSockets: crowd })
  t.after(async () => {
    agent.destroy()
    await waymark.close()
  })
  await waymark.addTrail(4711, 'Rim Trail')
  const person = await waymark.addPerson()
  const id = await waymark.upload(person, 4711, await jpegPicture())
  const headers = { authorization: `Bearer ${person.token}` }
  const statusOf = (path: string): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const asked = get(waymark.url + path, { agent, headers }, (answer) => {
        answer.resume().once('end', () => resolve(answer.statusCode))
      })
      asked.once('error', reject)
    })
  const askAtOnce = (path: string) => Promise.all(Array.from({ length: crowd }, () => statusOf(path)))

  const paths = [
    `/Trails/4711/Images/${id}`,
    '/Trails/4711/Images/',
    `/v2/images/${id}`,
    '/v2/trails/4711/images',
    '/v2/changes',
  ]
  await askAtOnce('/health/live') // opens all connections
  for (const path of paths) {
    assert.equal(await statusOf(path), 200)
    const changed = await waymark.fetch(`/v2/images/${id}`, {
      method: 'PATCH',
      token: person.token,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ caption: `Before ${path}` }),
    })
    assert.equal(changed.status, 200)
    const before = waymark.app.answersFromMemory()
    const statuses = await askAtOnce(path)
    assert.deepEqual(new Set(statuses), new Set([200]), path)
    assert.equal(waymark.app.answersFromMemory() - before, crowd - 1, path)
  }
})
