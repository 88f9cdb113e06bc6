// Image worker processes: a fault ends only its job, in time, and leaves nothing behind.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { test, type TestContext } from 'node:test'
import sharp from 'sharp'
import { inMemory, type UploadBytes } from '../../src/imaging/upload-bytes.ts'
import { Refusal, type RefusalCode } from '../../src/errors.ts'
import { until } from '../faults/harness/server.ts'
import { startRenditions } from '../helpers/imaging.ts'
import { jpegPicture } from '../helpers/pictures.ts'
import { scanBomb } from '../hostile/bombs.ts'
import { processesOf } from '../hostile/service.ts'

const photo = await jpegPicture({ width: 40, height: 30 })
/** Takes the decoder seconds. */
const slow = scanBomb(10_000, 100)
const give = (bytes: Uint8Array) => (): Promise<UploadBytes> => Promise.resolve(inMemory(bytes))

const isRefused =
  (code: RefusalCode, detail: RegExp) =>
  (error: unknown): boolean =>
    error instanceof Refusal && error.code === code && detail.test(error.detail ?? '')

const workers = (): number[] => processesOf(process.pid).slice(1)
const skip = existsSync('/proc/self/oom_score_adj') ? false : 'this system does not tell processes in /proc'

function start(t: TestContext, ...options: Parameters<typeof startRenditions>) {
  const renditions = startRenditions(...options)
  t.after(() => renditions.close())
  return renditions
}

void test('an image is processed in another process, which is reused for the next', { skip }, async (t) => {
  const renditions = start(t, 1, 1)
  const { mimeType, width, height, renditions: made } = await renditions.examine(give(photo))
  assert.deepEqual([mimeType, width, height, made.length], ['image/jpeg', 40, 30, 6])
  const before = workers()
  assert.equal(before.length, 1)
  await renditions.examine(give(photo))
  assert.deepEqual(workers(), before)
  assert.equal(renditions.jobsStarted(), 2)
})

void test(
  'trust 13: the worker process is the first to be killed when memory runs out, and gets no settings',
  { skip },
  async (t) => {
    await start(t, 1, 1).examine(give(photo))
    const [pid] = workers()
    assert.equal(readFileSync(`/proc/${pid}/oom_score_adj`, 'utf8').trim(), '1000')
    const names = readFileSync(`/proc/${pid}/environ`, 'utf8')
      .split('\0')
      .map((entry) => entry.split('=')[0])
    const known = new Set([
      'MALLOC_ARENA_MAX',
      'NODE_COMPILE_CACHE',
      'NODE_CHANNEL_FD',
      'NODE_CHANNEL_SERIALIZATION_MODE',
      '',
    ])
    assert.deepEqual(
      names.filter((name) => !known.has(name ?? '')),
      [],
    )
  },
)

void test('a job that takes too long is refused in time, and its process is ended', { skip }, async (t) => {
  const renditions = start(t, 1, 1, { jobSeconds: 1 })
  await renditions.examine(give(photo))
  const begun = performance.now()
  await assert.rejects(renditions.examine(give(slow)), isRefused('broken-image', /longer than 1 second/))
  assert.ok(performance.now() - begun < 3_000)
  assert.deepEqual(workers(), [])
  assert.equal((await renditions.examine(give(photo))).mimeType, 'image/jpeg')
})

void test('a process that does not even read its upload is ended in time', { skip }, async (t) => {
  const renditions = start(t, 1, 1, { jobSeconds: 1 })
  await renditions.examine(give(photo))
  process.kill(workers()[0] ?? 0, 'SIGSTOP')
  const moreThanAPipeHolds = Buffer.alloc(8_000_000)
  await assert.rejects(
    renditions.examine(give(moreThanAPipeHolds)),
    isRefused('broken-image', /longer than 1 second/),
  )
  assert.deepEqual(workers(), [])
  assert.equal((await renditions.examine(give(photo))).mimeType, 'image/jpeg')
})

void test('C25: size lg is what the worker process made of the upload, with the digest it reported', async (t) => {
  const renditions = start(t, 1, 1)
  const original = await sharp(photo)
    .withMetadata({ orientation: 6 })
    .withExif({ IFD0: { Artist: 'Ann' } })
    .jpeg()
    .toBuffer()
  const { renditions: made } = await renditions.examine(give(original))
  const digests = made.map(({ bytes }) => createHash('sha256').update(bytes).digest('hex'))
  assert.deepEqual(
    digests,
    made.map(({ digest }) => digest),
  )
  const large = made.find(({ name }) => name === 'lg')?.bytes ?? new Uint8Array(0)
  assert.ok(large.length > 0 && !Buffer.from(large).includes('Ann'))
})

void test('nothing of the previous upload is left when the process reads the next', async (t) => {
  const renditions = start(t, 1, 1)
  await renditions.examine(give(photo))
  // The reused memory behind it still contains the missing bytes.
  const truncated = photo.subarray(0, -20)
  await assert.rejects(renditions.examine(give(truncated)), isRefused('broken-image', /truncated/))
})

const ends: readonly (readonly [NodeJS.Signals, RefusalCode, RegExp])[] = [
  ['SIGKILL', 'busy', /interrupted/],
  ['SIGSEGV', 'broken-image', /could not be processed/],
  ['SIGABRT', 'broken-image', /could not be processed/],
]
for (const [signal, code, detail] of ends) {
  void test(
    `trust 13: a process ended by ${signal} fails only its own job, and the rest continues`,
    { skip },
    async (t) => {
      const renditions = start(t, 1, 2)
      const doomed = assert.rejects(renditions.examine(give(slow)), isRefused(code, detail))
      const behind = renditions.examine(give(photo))
      await until(() => workers().length === 1 && isDecoding(workers()[0] ?? 0), 'the decode to begin')
      process.kill(workers()[0] ?? 0, signal)
      await doomed
      assert.equal((await behind).mimeType, 'image/jpeg')
      assert.deepEqual(renditions.load(), { running: 0, waiting: 0 })
    },
  )
}

/** Detected by the memory of the picture's coefficients. */
function isDecoding(pid: number): boolean {
  const [, kilobytes = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) > 150_000
}

void test('trust 21: bytes are read only when a job starts, so the queue takes no memory', async (t) => {
  const renditions = start(t, 2, 20)
  let held = 0
  let max = 0
  const open = async (): Promise<UploadBytes> => {
    held += 1
    max = Math.max(max, held)
    return inMemory(photo)
  }
  const jobs = Array.from({ length: 12 }, () =>
    renditions.examine(open).finally(() => {
      held -= 1
    }),
  )
  await Promise.all(jobs)
  assert.equal(max, 2)
})

void test('an upload that cannot be read frees its place', { skip }, async (t) => {
  const renditions = start(t, 1, 0)
  await assert.rejects(
    renditions.examine(() => Promise.reject(new Error('the disk'))),
    /the disk/,
  )
  const readInto = () => Promise.reject(new Error('a disk that fails in the middle'))
  await assert.rejects(
    renditions.examine(() => Promise.resolve({ bytes: photo.length, readInto })),
    /in the middle/,
  )
  assert.deepEqual(workers(), [], 'the process that waits for the rest is gone')
  assert.equal((await renditions.examine(give(photo))).mimeType, 'image/jpeg')
})

void test('closing refuses waiting jobs, ends running ones, and leaves no process', { skip }, async (t) => {
  const renditions = start(t, 1, 4)
  const running = assert.rejects(renditions.examine(give(slow)), isRefused('busy', /interrupted/))
  const waiting = assert.rejects(renditions.examine(give(photo)), isRefused('busy', /stopping/))
  await until(() => workers().length === 1 && isDecoding(workers()[0] ?? 0), 'the decode to begin')
  await renditions.close()
  await Promise.all([running, waiting])
  assert.deepEqual(workers(), [])
  await assert.rejects(renditions.examine(give(photo)), isRefused('busy', /stopping/))
})
