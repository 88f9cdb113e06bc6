// What is logged for operators: faults of the server and its disk, but not expected conditions (trust 40,
// docs/operations.md).
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { switchReadOnlyOff, switchReadOnlyOn } from '../../../src/database/read-only.ts'
import { loggerTo } from '../../../src/http/server.ts'
import { jpegPicture } from '../../helpers/pictures.ts'
import { startWaymark } from '../../helpers/waymark.ts'

interface Line {
  readonly level: number
  readonly [name: string]: unknown
}

const lines: Line[] = []
let failure: string | undefined
const waymark = await startWaymark({
  logger: loggerTo({ write: (line) => lines.push(JSON.parse(line) as Line) }, 'info'),
  wrapBlobs: (blobs) => ({
    ...blobs,
    receive: async (...args) => {
      if (failure !== undefined) throw Object.assign(new Error('of the disk'), { code: failure })
      return blobs.receive(...args)
    },
  }),
})
after(() => waymark.close())
await waymark.addTrail(4711, 'Rim Trail')
const ana = await waymark.addPerson()
const picture = await jpegPicture({ width: 12, height: 9 })

async function upload(): Promise<number> {
  lines.length = 0
  const headers = { 'content-type': 'image/jpeg' }
  const request = { method: 'POST', token: ana.token, headers, body: Buffer.from(picture) }
  const { status } = await waymark.fetch('/Trails/4711/Images?secret=1', request)
  while (!lines.some(({ msg }) => msg === 'request')) await new Promise(setImmediate)
  return status
}

void test('trust 40: an expected refusal is not an error in the log', async () => {
  const { db } = waymark.installation.database
  await switchReadOnlyOn(db, waymark.system.now(), 'We move')
  assert.equal(await upload(), 503)
  await switchReadOnlyOff(db)
  assert.deepEqual(
    lines.map(({ level, code }) => [level, code]),
    [[30, 'read-only']],
  )
  failure = 'EBUSY'
  assert.equal(await upload(), 503)
  assert.deepEqual(
    lines.map(({ level, code, status }) => [level, code, status]),
    [
      [40, 'busy', 503],
      [30, 'busy', 503],
    ],
  )
  assert.ok(!JSON.stringify(lines).includes('stack'))
})

void test('trust 40: an error names its request and its cause', async () => {
  for (const [code, status] of Object.entries({ EIO: 503, ENOSPC: 507, EODD: 500 })) {
    failure = code
    assert.equal(await upload(), status, code)
    const [fault, request] = lines
    assert.deepEqual([fault?.level, fault?.['method'], fault?.['path']], [50, 'POST', '/Trails/4711/Images'])
    assert.deepEqual([fault?.['status'], fault?.['reqId']], [status, request?.['reqId']])
    assert.equal(typeof fault?.['reqId'], 'string')
    assert.ok('stack' in Object(fault?.['err']))
  }
})
