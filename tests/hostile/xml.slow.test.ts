// XML with external entities and entity bombs: refused or ignored quickly, and nothing is opened.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { readDetails } from '../../src/shared/classic/details.ts'
import { quickestMs } from '../shared/contract-helpers.ts'
import { jpegPicture } from '../helpers/pictures.ts'
import { assertProblem } from '../helpers/problems.ts'
import { startWaymark } from '../helpers/waymark.ts'
import { encodings, entityDocuments, includingDocuments, otherEncodings, type Encoded } from './xxe.ts'

const waymark = await startWaymark()
await waymark.addTrail(4711, 'Rim Trail')
const person = await waymark.addPerson()
const imageId = await waymark.upload(person, 4711, await jpegPicture({ width: 24, height: 16 }))

let calls = 0
const bait = createServer((socket) => {
  calls += 1
  socket.destroy()
})
bait.listen(0, '127.0.0.1')
await once(bait, 'listening')
const target = `http://127.0.0.1:${(bait.address() as AddressInfo).port}/evil.dtd`
after(async () => {
  await waymark.close()
  bait.close()
})

const put = ({ type, body }: Encoded): Promise<Response> =>
  waymark.fetch(`/Trails/4711/Images/${imageId}`, {
    method: 'PUT',
    token: person.token,
    headers: { 'content-type': type },
    body: new Uint8Array(body),
  })

async function titleNow(): Promise<string> {
  const answer = await waymark.fetch(`/Trails/4711/Images/${imageId}`, { token: person.token })
  return ((await answer.json()) as { title: string }).title
}

void test('trust 32, C6: a DOCTYPE is refused in every encoding, by name, and nothing is opened', async () => {
  for (const xml of entityDocuments(target)) {
    for (const encoded of encodings(xml)) {
      const { detail } = await assertProblem(await put(encoded), 'malformed-body', `${encoded.name}: ${xml}`)
      assert.match(detail, /^DOCTYPE is not allowed \(line \d+, column \d+\)\.$/, encoded.name)
      const [, charset] = /charset="?([\w-]+)/.exec(encoded.type) ?? []
      assert.ok(quickestMs(() => void readDetails('xml', encoded.body, charset)) < 50)
    }
  }
  assert.equal(await titleNow(), ' ')
  assert.equal(calls, 0)
})

void test('trust 32: its keyword in lower or mixed case is refused as well', async () => {
  for (const keyword of ['doctype', 'DocType', 'dOCTYPE']) {
    const xml = (entityDocuments(target)[1] ?? '').replace('DOCTYPE', keyword)
    for (const encoded of encodings(xml)) {
      const { detail } = await assertProblem(await put(encoded), 'malformed-body', encoded.name)
      assert.match(detail, /^DOCTYPE is not allowed/)
    }
  }
})

void test('trust 32: in an unsupported encoding, a DOCTYPE is refused with it', async () => {
  for (const xml of entityDocuments(target)) {
    for (const encoded of otherEncodings(xml)) {
      const { status } = await put(encoded)
      assert.ok(status === 400 || status === 415, `${encoded.name}: ${status}`)
    }
  }
  assert.equal(calls, 0)
})

void test('trust 32: other ways to request a file or URL are ignored, and nothing is opened', async () => {
  for (const xml of includingDocuments(target)) {
    for (const encoded of encodings(xml)) {
      const answer = await put(encoded)
      assert.equal(answer.status, 200, `${encoded.name}: ${xml} ${await answer.text()}`)
      assert.equal(await titleNow(), 'kept')
    }
  }
  assert.equal(calls, 0)
})
