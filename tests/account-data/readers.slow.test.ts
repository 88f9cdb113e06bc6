// A data export read by Debian's tools, and the server's memory while sending a large one.
import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { request, type IncomingMessage } from 'node:http'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { newFolder } from '../helpers/folders.ts'
import {
  addOwner,
  browserHeaders,
  furnish,
  takeOut,
  type OwnedThings,
  type Owner,
} from '../helpers/leaving.ts'
import { addMember, createVisitor } from '../helpers/visitor.ts'
import { startWaymark, type Waymark } from '../helpers/waymark.ts'
import { startChild } from '../cli/run-waymark.ts'
import { addPhotos } from './many-photos.ts'

const runTool = promisify(execFile)
const without = (tool: string, ...args: string[]): false | string =>
  spawnSync(tool, args).status === 0 ? false : `${tool} is not installed`

const program = `
import sys, zipfile
z = zipfile.ZipFile(sys.argv[1])
assert z.testzip() is None
z.extractall(sys.argv[2])
print(len(z.infolist()))
`

describe('a data export, read by other programs (issue 6)', () => {
  let waymark: Waymark
  let owner: Owner
  let has: OwnedThings
  let zip: Buffer

  before(async () => {
    waymark = await startWaymark()
    await waymark.addTrail(4711, 'Rim Trail')
    const reviewer = await waymark.addPerson({ role: 'reviewer' })
    owner = await addOwner(waymark)
    has = await furnish(waymark, owner, { trailId: 4711, reviewer, mark: 'anns' })
    zip = (await takeOut(waymark, owner)).zip
  })
  after(() => waymark.close())

  async function assertExtracted(folder: string): Promise<void> {
    for (const [id, original] of has.originals)
      assert.ok((await readFile(path.join(folder, `photos/${id}.jpg`))).equals(original), String(id))
    assert.equal(await readFile(path.join(folder, `routes/${has.routeId}.gpx`), 'utf8'), has.gpx)
    const images = JSON.parse(await readFile(path.join(folder, 'images.json'), 'utf8')) as object[]
    assert.equal(images.length, 3)
    JSON.parse(await readFile(path.join(folder, 'account.json'), 'utf8'))
  }

  it('unpacks with unzip, originals byte for byte', { skip: without('unzip', '-v') }, async (t) => {
    const folder = await newFolder(t)
    const file = path.join(folder, 'anns.zip')
    await writeFile(file, zip)
    await runTool('unzip', ['-tqq', file])
    await runTool('unzip', ['-qq', file, '-d', path.join(folder, 'out')])
    await assertExtracted(path.join(folder, 'out'))
  })

  it('unpacks with Python', { skip: without('python3', '--version') }, async (t) => {
    const folder = await newFolder(t)
    const file = path.join(folder, 'anns.zip')
    await writeFile(file, zip)
    await mkdir(path.join(folder, 'out'))
    const { stdout } = await runTool('python3', ['-c', program, file, path.join(folder, 'out')])
    assert.equal(stdout, '9\n')
    await assertExtracted(path.join(folder, 'out'))
  })
})

/** Garbage between two collections; the zip is more than twice as long. */
const maxGrowthMegabytes = 200

/** Peak memory of the process in megabytes. */
async function peakOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1_024
}

void it('a data export of 480 MB does not need memory in proportion', async (t) => {
  const dataDir = await newFolder(t)
  const prepared = await startWaymark({ dataDir })
  await prepared.addTrail(4711, 'Rim Trail')
  await addMember(prepared, 'admin')
  const member = await addMember(prepared)
  const { accountId } = member
  await addPhotos(prepared.installation, { accountId, trailId: 4711, count: 120, bytes: 4_000_000 })
  await prepared.close()

  const settings = { PORT: '0', PUBLIC_URL: 'https://trails.example' }
  const child = startChild(['serve'], { dataDir, settings })
  const closed = once(child, 'close')
  t.after(async () => {
    child.kill('SIGKILL')
    await closed
  })
  child.stdout.resume()
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (said += chunk))
  while (!/listens on/.test(said)) await Promise.race([once(child.stderr, 'data'), closed])
  const url = /listens on (http:\S+)/.exec(said)?.[1] ?? ''
  const visitor = createVisitor({ url, installation: prepared.installation, secrets: prepared.secrets })
  const { email, password } = member
  assert.equal((await visitor.post('/sign-in', { email, password })).status, 303)
  const cookie = [...visitor.jar].map(([name, value]) => `${name}=${value}`).join('; ')
  const headers = { cookie, 'sec-fetch-site': 'same-origin' }
  await (await fetch(`${url}/v2/me`, { headers })).text()
  const before = await peakOf(child.pid ?? 0)
  const answer = await fetch(`${url}/v2/me/takeout`, { headers })
  let bytes = 0
  for await (const chunk of answer.body ?? []) bytes += (chunk as Uint8Array).length
  const growth = (await peakOf(child.pid ?? 0)) - before
  assert.ok(bytes > 480_000_000, String(bytes))
  t.diagnostic(`${(bytes / 1e6).toFixed(0)} MB sent, ${growth.toFixed(0)} MB more at the peak`)
  assert.ok(growth < maxGrowthMegabytes, `${growth.toFixed(0)} MB more than before`)
})

void it('a client that reads nothing of a data export is disconnected, and its work ends (slow-readers)', async (t) => {
  const waymark = await startWaymark({ environment: { IDLE_TIMEOUT: '3' } })
  t.after(() => waymark.close())
  await waymark.addTrail(4711, 'Rim Trail')
  const owner = await addOwner(waymark)
  const { accountId } = owner
  await addPhotos(waymark.installation, { accountId, trailId: 4711, count: 12, bytes: 8_000_000 })
  const asked = request(`${waymark.url}/v2/me/takeout`, { headers: browserHeaders(owner) }).end()
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  let isCut = false
  for (const end of [asked, answer]) end.on('error', () => (isCut = true))
  await once(answer, 'readable')
  for (let tries = 0; waymark.app.requestsUnderWay() > 0 && tries < 600; tries += 1) await pause(50)
  assert.equal(waymark.app.requestsUnderWay(), 0)
  answer.resume() // what had come already, and then the end that is none
  await new Promise((resolve) => answer.once('close', resolve))
  assert.ok(isCut)
  assert.equal((await takeOut(waymark, owner)).answer.status, 200)
})
