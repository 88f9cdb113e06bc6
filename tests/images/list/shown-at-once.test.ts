// Required by issue 6: an approval, an edit, a renamed account or trail is visible in the next request of every list
// (C19, C39).
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { jpegPicture } from '../../helpers/pictures.ts'
import { addSignedIn } from '../../helpers/visitor.ts'
import { startWaymark } from '../../helpers/waymark.ts'
import { patch, remove, restore } from '../image-client.ts'

const waymark = await startWaymark()
after(() => waymark.close())
await waymark.addTrail(4711, 'Rim Trail')
const submitter = await addSignedIn(waymark)
const ana = {
  accountId: submitter.accountId,
  token: await waymark.tokenFor(submitter.accountId, 'images:read images:write'),
}
const rob = await waymark.addPerson({ name: 'Rob', role: 'reviewer' })
const key = await waymark.addKey(ana.accountId)

/** The trail's lists, read with a key and with a token. */
const lists = [
  ['/Trails/4711/Images', 'application/json'],
  ['/Trails/4711/Images', 'application/xml'],
  ['/v2/trails/4711/images', 'application/json'],
] as const
const readers = [{ 'x-api-key': key }, { authorization: `Bearer ${ana.token}` }] as const

interface Seen {
  readonly name: string
  readonly tag: string
  readonly text: string
}

async function readAll(): Promise<Seen[]> {
  const seen: Seen[] = []
  for (const [address, accept] of lists)
    for (const reader of readers) {
      const answer = await waymark.fetch(address, { headers: { ...reader, accept } })
      assert.equal(answer.status, 200)
      const name = `${address} ${accept} ${Object.keys(reader)[0]}`
      seen.push({ name, tag: String(answer.headers.get('etag')), text: await answer.text() })
    }
  return seen
}

/** Requests each list with its previous ETag: never 304 after a visible change, and always otherwise. */
async function assertShown(
  before: readonly Seen[],
  { text, isThere = true }: { text?: string; isThere?: boolean },
) {
  let index = 0
  for (const [address, accept] of lists)
    for (const reader of readers) {
      const old = before[index]
      index += 1
      assert.ok(old)
      const headers = { ...reader, accept, 'if-none-match': old.tag }
      const answer = await waymark.fetch(address, { headers })
      assert.equal(answer.status, text === undefined ? 304 : 200, `${old.name}: ${text ?? 'nothing changed'}`)
      const body = await answer.text()
      if (text !== undefined) assert.equal(body.includes(text), isThere, `${old.name}: ${text} in ${body}`)
    }
}

void test('C19: a change is in the next response of every list, and the old ETag never gets a 304', async () => {
  const imageId = await waymark.upload(ana, 4711, await jpegPicture({ width: 12, height: 9 }))
  let before = await readAll()
  await assertShown(before, {}) // pending: nothing visible
  const ok = async (answer: Promise<Response>): Promise<void> => {
    const { status } = await answer
    assert.ok(status === 200 || status === 204, String(status))
  }
  const rename = async (displayName: string): Promise<void> =>
    assert.equal((await submitter.call('PATCH', '/v2/me', { displayName })).status, 200)
  const steps: readonly (readonly [() => Promise<unknown>, string, boolean])[] = [
    [() => ok(waymark.review(rob, imageId, 'approve')), String(imageId), true],
    [() => ok(patch(waymark, ana, imageId, { body: { title: 'Edited title' } })), 'Edited title', true],
    [() => ok(patch(waymark, ana, imageId, { body: { title: 'Second title' } })), 'Second title', true], // of the same length
    [() => rename('Renamed Ana'), 'Renamed Ana', true],
    [() => waymark.addTrail(4711, 'Renamed Trail'), 'Renamed Trail', true],
    [() => ok(waymark.review(rob, imageId, 'remove')), String(imageId), false],
    [() => ok(waymark.review(rob, imageId, 'restore')), String(imageId), true],
    [() => ok(remove(waymark, ana, imageId)), String(imageId), false],
    [() => ok(restore(waymark, ana, imageId)), 'Second title', true],
    [() => ok(waymark.review(rob, imageId, 'reopen')), String(imageId), false],
  ]
  for (const [act, text, isThere] of steps) {
    before = await readAll()
    await act() // within the same second or millisecond: ETags must not depend on the clock
    await assertShown(before, { text, isThere })
  }
})
