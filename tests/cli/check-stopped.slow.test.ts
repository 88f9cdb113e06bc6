// waymark check when interrupted: it reports its findings and the command that checks the rest.
import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { createIntegrity, type Finding } from '../../src/images/storage/integrity.ts'
import { newFolder } from '../helpers/folders.ts'
import { jpegPicture } from '../helpers/pictures.ts'
import { startWaymark } from '../helpers/waymark.ts'
import { assertOneSentence, done, run, runJson } from './run-waymark.ts'

const photos = 24

/** Interrupts itself as soon as it listens for signals, before the first photo. */
const interruptItself = `process.on('newListener', (event) => {
  if (event === 'SIGINT') queueMicrotask(() => process.kill(process.pid, 'SIGINT'))
})`

async function storeWithPhotos(t: TestContext) {
  const dataDir = await newFolder(t)
  const waymark = await startWaymark({ dataDir })
  t.after(() => waymark.close())
  await waymark.addTrail(4711, 'Rim Trail')
  const ann = await waymark.addPerson()
  for (let seed = 0; seed < photos; seed += 1)
    await waymark.upload(ann, 4711, await jpegPicture({ seed, width: 16, height: 12 }))
  const { database, blobs } = waymark.installation
  const rows = await database.db.selectFrom('content').select('sha256').orderBy('sha256').execute()
  return { waymark, dataDir, database, blobs, hashes: rows.map(({ sha256 }) => sha256) }
}

void test('findings come in the order of hashes, and a stopped check resumes where it says', async (t) => {
  const { waymark, database, blobs, hashes } = await storeWithPhotos(t)
  const broken = hashes.filter((_, at) => at % 3 === 0)
  for await (const { key } of waymark.installation.blobs.list(''))
    if (broken.some((sha256) => key.includes(`${sha256}.lg`))) await blobs.remove(key)
  let opened = 0
  let stopping = new AbortController()
  let open = 0
  let maxOpen = 0
  // Later blobs are read faster, so reporting in the order of completion would reverse the findings.
  const uneven: Pick<typeof blobs, 'open'> = {
    open: async (key) => {
      opened += 1
      if (opened % 20 === 0) stopping.abort()
      open += 1
      maxOpen = Math.max(maxOpen, open)
      const at = hashes.findIndex((sha256) => key.includes(sha256))
      await new Promise((resolve) => setTimeout(resolve, (photos - at) / 2))
      open -= 1
      return blobs.open(key)
    },
  }
  const { check } = createIntegrity({ database, blobs: uneven })
  const whole: Finding[] = []
  assert.deepEqual(await check('bytes', (finding) => whole.push(finding)), { images: 24, contents: 24 })
  const originals = (findings: readonly Finding[]) =>
    findings.filter(({ what }) => what === 'original').map(({ sha256 }) => sha256)
  assert.deepEqual(originals(whole), broken)
  assert.ok(maxOpen > 4 && maxOpen <= 16, `${maxOpen} at once`)

  const parts: Finding[] = []
  const reached: string[] = []
  let contents = 0
  for (let from: string | undefined = ''; from !== undefined && reached.length < 10;) {
    opened = 0
    stopping = new AbortController()
    const { signal } = stopping
    const checked = await check('bytes', (finding) => parts.push(finding), { from, signal })
    contents += checked.contents
    from = checked.goesOnAt
    reached.push(from ?? 'the end')
  }
  assert.ok(reached.length > 1, reached.join())
  assert.deepEqual([parts, contents], [whole, photos], 'each once, none left out')
})

void test('Ctrl+C prints the command to resume, which takes a hash or its first digits', async (t) => {
  const { dataDir, hashes } = await storeWithPhotos(t)
  const preload = path.join(await newFolder(t), 'interrupt.mjs')
  await writeFile(preload, interruptItself)
  const settings = { NODE_OPTIONS: `--import ${preload}` }
  const [first = ''] = hashes
  const stopped = await run(['check', '--store'], { dataDir, settings })
  assert.deepEqual([stopped.exitCode, stopped.stderr], [2, ''])
  assert.match(
    stopped.stdout,
    new RegExp(`No problems so far\\. .* node bin/waymark\\.cjs check --store --from ${first}\\n$`),
  )
  const { document, exitCode } = await runJson(['check', '--audit'], { dataDir, settings })
  const reported = {
    ok: false,
    stopped: true,
    goesOnAt: first,
    images: 0,
    contents: 0,
    problems: [],
    warnings: [],
  }
  assert.deepEqual([document, exitCode], [reported, 2])

  const tenth = hashes[10] ?? ''
  const rest = await done(['check', '--store', '--from', tenth], { dataDir })
  assert.deepEqual(rest, { ok: true, images: 14, contents: 14, problems: [], warnings: [] })
  const later = hashes.filter((sha256) => sha256 >= tenth.slice(0, 1))
  const prefix = await run(['check', '--from', tenth.slice(0, 1)], { dataDir })
  assert.match(
    prefix.stdout,
    new RegExp(` in ${later.length} files? from ${tenth.slice(0, 1)} on\\. These are`),
  )
  const wrong = await run(['check', '--from', 'XYZ'], { dataDir })
  assert.equal(wrong.exitCode, 1)
  assertOneSentence(wrong.stderr)
  await rm(preload)
})
