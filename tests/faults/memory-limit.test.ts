// If memory runs out, a job ends but the server survives (trust 13); if the server ends, its workers end too.
import assert from 'node:assert/strict'
import { mkdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import sharp from 'sharp'
import { jpegPicture } from '../helpers/pictures.ts'
import { scanBomb } from '../hostile/bombs.ts'
import { memoryOf, processesOf, startService, whyNoMemory, type Service } from '../hostile/service.ts'
import { until } from './harness/server.ts'

/** A cgroup v1, which can limit a single process with its children. */
const group = `/sys/fs/cgroup/memory/waymark-test-${process.pid}`
const megabytes = 400

function makeGroup(): string | undefined {
  try {
    mkdirSync(group)
    writeFileSync(`${group}/memory.limit_in_bytes`, `${megabytes}M`)
    return undefined
  } catch {
    return 'memory cannot be limited here: that takes root and control groups of version 1'
  }
}

const photo = await jpegPicture({ width: 60, height: 40 })

/** 1 MB within every limit that takes the decoder more than 600 MB. */
const heavy = (): Promise<Buffer> =>
  sharp({ create: { width: 10_000, height: 10_000, channels: 3, background: '#884422' } })
    .jpeg({ progressive: true, chromaSubsampling: '4:4:4' })
    .toBuffer()

const skip = makeGroup()

void test(
  `trust 13: in ${megabytes} MB of memory a photo that needs more fails only its own job, and the server survives`,
  { skip },
  async (t) => {
    const join = ['sh', '-c', `echo $$ > ${group}/cgroup.procs; exec "$@"`, 'sh']
    const service = await startService({ settings: { IMAGE_JOBS: '2' }, under: join })
    t.after(async () => {
      await service.end()
      await until(() => removed(), 'the group to be empty')
    })
    const bytes = await heavy()
    const two = [0, 1].map((tail) => service.post(Buffer.concat([bytes, Buffer.of(tail)])))
    const answers = await Promise.all(two)
    for (const { status, text } of answers) assert.ok(status === 503 || status === 422, `${status} ${text}`)
    t.diagnostic(`answered ${answers.map(({ status }) => status).join(' and ')}`)
    assert.ok(service.server.isRunning())
    assert.equal((await service.post(photo)).status, 201)
    const { resident } = memoryOf(service.server.pid)
    assert.ok(resident < megabytes)
  },
)

function removed(): boolean {
  try {
    rmdirSync(group)
    return true
  } catch {
    return false
  }
}

/** Detects a decode by its memory. */
function waitForDecode({ server }: Service): () => Promise<void> {
  const before = memoryOf(server.pid).resident
  return () => until(() => memoryOf(server.pid).resident > before + 80, 'the decode to begin')
}

void test(
  'a server that is killed leaves no worker behind, whatever the worker is doing',
  { skip: whyNoMemory() },
  async (t) => {
    const service = await startService({ settings: { IMAGE_JOBS: '2' } })
    t.after(() => service.end())
    assert.equal((await service.post(photo)).status, 201)
    const begun = waitForDecode(service)
    const lost = service.post(scanBomb(10_000, 100)).catch(() => undefined)
    await begun()
    const workers = processesOf(service.server.pid).slice(1)
    assert.ok(workers.length >= 1)
    await service.server.end('SIGKILL')
    await lost
    await until(() => workers.every((pid) => processesOf(pid).length === 0), 'the workers to end', 3_000)
  },
)

void test(
  'a signal to the whole process group, as from a terminal, lets the upload in progress finish',
  { skip: whyNoMemory() },
  async (t) => {
    const service = await startService({ settings: { IMAGE_JOBS: '1' } })
    t.after(() => service.end())
    assert.equal((await service.post(photo)).status, 201)
    const begun = waitForDecode(service)
    const answer = service.post(scanBomb(8_000, 60))
    await begun()
    for (const pid of processesOf(service.server.pid).toReversed()) process.kill(pid, 'SIGTERM')
    assert.equal((await answer).status, 201)
    assert.deepEqual(await service.server.ended, { code: 0, signal: null })
  },
)
