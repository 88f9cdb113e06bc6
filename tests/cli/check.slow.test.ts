// waymark check finds missing and damaged blobs in a server's store, and says which repair themselves.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, test, type TestContext } from 'node:test'
import { CompiledQuery } from 'kysely'
import { isRemovedName, originalKey, renditionKey } from '../../src/images/storage/blob-keys.ts'
import { listRenditions } from '../../src/images/storage/rendition-table.ts'
import { createIntegrity, type CheckDepth, type Finding } from '../../src/images/storage/integrity.ts'
import { newFolder } from '../helpers/folders.ts'
import { storeAsBefore } from '../helpers/older-store.ts'
import { jpegPicture } from '../helpers/pictures.ts'
import { startWaymark } from '../helpers/waymark.ts'
import { assertOneSentence, done, run, runJson } from './run-waymark.ts'

interface StoreOptions {
  /** Stores the uploaded originals, like versions before 0.3. */
  readonly isOld?: boolean
}

/** A store with two photos, the first uploaded twice. The server is still running. */
async function storeWithPhotos(t: TestContext, { isOld = false }: StoreOptions = {}) {
  const dataDir = await newFolder(t)
  const waymark = await startWaymark({ dataDir })
  t.after(() => waymark.close())
  await waymark.addTrail(4711, 'Rim Trail')
  const ann = await waymark.addPerson()
  const photos = [await jpegPicture({ seed: 1 }), await jpegPicture({ seed: 2 })] as const
  const imageId = await waymark.upload(ann, 4711, photos[0])
  await waymark.upload(await waymark.addPerson(), 4711, photos[0])
  await waymark.upload(ann, 4711, photos[1])
  const [first, second] = [sha256Of(photos[0]), sha256Of(photos[1])]
  const fileOf = (key: string) => path.join(dataDir, 'blobs', 'kept', ...key.split('/'))
  const { database, blobs } = waymark.installation
  if (isOld) for (const sha256 of [first, second]) await storeAsBefore(waymark.installation, sha256)
  /** The blob with all or most of an original. */
  const holding = (sha256: string): string => (isOld ? originalKey(sha256) : renditionKey(sha256, 'lg'))
  const findings = async (depth: CheckDepth) => {
    const found: Finding[] = []
    const checked = await createIntegrity({ database, blobs }).check(depth, (finding) => found.push(finding))
    assert.deepEqual(checked, { images: 3, contents: 2 })
    return found.toSorted((a, b) => a.detail.localeCompare(b.detail))
  }
  return { waymark, dataDir, imageId, first, second, fileOf, holding, findings }
}

const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** Flips one bit, so the length stays the same. */
async function damage(file: string): Promise<void> {
  const bytes = await readFile(file)
  bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1
  await writeFile(file, bytes)
}

void describe('check', { concurrency: 2 }, () => {
  void test('a fresh installation and one with photos pass, while a server runs', async (t) => {
    const empty = { dataDir: await newFolder(t) }
    await done(['migrate'], empty)
    const fresh = await done(['check'], empty)
    assert.deepEqual(fresh, { ok: true, images: 0, contents: 0, problems: [], warnings: [] })
    const { dataDir } = await storeWithPhotos(t)
    const document = await done(['check', '--store'], { dataDir })
    assert.deepEqual(document, { ok: true, images: 3, contents: 2, problems: [], warnings: [] })
  })

  async function findLost(t: TestContext, options: StoreOptions): Promise<void> {
    const { dataDir, first, second, fileOf, holding } = await storeWithPhotos(t, options)
    await rm(fileOf(holding(first)))
    await damage(fileOf(holding(second)))

    const plain = await run(['check'], { dataDir })
    assert.deepEqual([plain.exitCode, plain.stderr], [2, ''])
    assert.match(
      plain.stdout,
      new RegExp(`^PROBLEM  The original of images \\d+, \\d+ is missing.*\\(${first}\\)\\n`),
    )
    assert.ok(!plain.stdout.includes(second), 'without --store no byte is read')

    const { exitCode, document } = await runJson(['check', '--store'], { dataDir })
    const { ok, problems } = document as { ok: boolean; problems: Record<string, string>[] }
    assert.deepEqual([exitCode, ok], [2, false])
    const reported = problems.map(({ what, sha256, detail = '' }) => [
      what,
      sha256,
      /is (missing|damaged)/.exec(detail)?.[1],
    ])
    const expected = [
      ['original', first, 'missing'],
      ['original', second, 'damaged'],
    ]
    assert.deepEqual(
      reported,
      expected.toSorted(([, a = ''], [, b = '']) => (a < b ? -1 : 1)),
    )
  }

  void test('a missing original is found by its length, a damaged one by its bytes', (t) =>
    findLost(t, { isOld: true }))

  void test('so is one that would be rebuilt', (t) => findLost(t, { isOld: false }))

  void test('each fault in the source of an original is one problem of the original, reported until it is fixed', async (t) => {
    const { waymark, imageId, first, fileOf, findings } = await storeWithPhotos(t)
    const names = (await listRenditions(waymark.installation.database.db, first)).map(({ name }) => name)
    const removed = names.find(isRemovedName)
    assert.ok(removed)
    const view = (size: string) => waymark.fetch(`/ImageHandler?id=${imageId}&t=${size}`)
    for (const name of ['lg', removed]) {
      const file = fileOf(renditionKey(first, name))
      const whole = await readFile(file)
      const length = whole.length
      const faults: [said: string, inflict: () => Promise<void>, isInLengths: boolean][] = [
        ['is missing', () => rm(file), true],
        [`has 5 bytes instead of ${length}`, () => writeFile(file, 'short'), true],
        [`has 0 bytes instead of ${length}`, () => writeFile(file, ''), true],
        ['is damaged', () => damage(file), false],
      ]
      for (const [said, inflict, isInLengths] of faults) {
        await inflict()
        for (const depth of ['lengths', 'bytes'] as const) {
          const reported = await findings(depth)
          const expected = isInLengths || depth === 'bytes' ? [['problem', 'original', first]] : []
          assert.deepEqual(
            reported.map(({ severity, what, sha256 }) => [severity, what, sha256]),
            expected,
            `${name} ${said}, ${depth}`,
          )
          const sentence = new RegExp(
            `^The original of images \\d+, \\d+ ${said}; restore it from a backup\\.$`,
          )
          for (const { detail } of reported) assert.match(detail, sentence)
        }
        assert.equal((await view('sm')).status, 200)
        await writeFile(file, whole)
        assert.deepEqual(await findings('bytes'), [])
      }
    }
  })

  void test('a file length left over from a crash is not a problem: the original exists', async (t) => {
    const { waymark, first, findings } = await storeWithPhotos(t)
    const { db } = waymark.installation.database
    const rows = db.updateTable('rendition').set({ bytes: 5, digest: 'of an older size lg' })
    await rows.where('sha256', '=', first).where('name', '=', 'lg').execute()
    assert.deepEqual(await findings('lengths'), [])
    const found = await findings('bytes')
    assert.deepEqual(
      found.map(({ severity, what }) => [severity, what]),
      [['warning', 'rendition']],
    )
  })

  void test('a wrong rendition is a warning, and the server rebuilds it', async (t) => {
    const { waymark, dataDir, imageId, first, second, fileOf, findings } = await storeWithPhotos(t, {
      isOld: true,
    })
    await damage(fileOf(renditionKey(first, 'sm.jpeg')))
    await rm(fileOf(renditionKey(first, '640.jpeg')))
    await writeFile(fileOf(renditionKey(first, 'lg')), 'short')
    await waymark.installation.database.db
      .deleteFrom('rendition')
      .where('sha256', '=', second)
      .where('name', 'like', 'md.%')
      .execute()
    assert.deepEqual(await findings('lengths'), [])
    const found = await findings('bytes')
    assert.deepEqual(
      found.map(({ severity, what, detail }) => [
        severity,
        what,
        detail.replace(/\d+ bytes instead of \d+/, 'n'),
      ]),
      [
        ['warning', 'rendition', 'No rendition is recorded for md; it will be generated.'],
        ['warning', 'rendition', 'Rendition 640.jpeg is missing; it will be regenerated.'],
        ['warning', 'rendition', 'Rendition lg has n; it will be regenerated.'],
        ['warning', 'rendition', 'Rendition sm.jpeg is damaged; it will be regenerated.'],
      ],
    )
    const { exitCode, document } = await runJson(['check', '--store'], { dataDir })
    const { ok, problems, warnings } = document as { ok: boolean; problems: unknown[]; warnings: unknown[] }
    assert.deepEqual([exitCode, ok, problems, warnings.length], [0, true, [], 4])

    assert.equal((await waymark.fetch(`/ImageHandler?id=${imageId}&t=sm`)).status, 200)
    const left = await findings('bytes')
    assert.deepEqual(
      left.map(({ sha256 }) => sha256),
      [second],
    )
  })

  void test('what cannot be rebuilt is a problem: lg of the right length, and renditions without an original', async (t) => {
    const { first, second, fileOf, findings } = await storeWithPhotos(t, { isOld: true })
    await damage(fileOf(renditionKey(first, 'lg')))
    await writeFile(fileOf(originalKey(second)), '')
    await rm(fileOf(renditionKey(second, 'sm.webp')))
    const found = await findings('bytes')
    assert.ok(found.every(({ severity }) => severity === 'problem'))
    const about = (content: string) =>
      found.filter(({ sha256 }) => sha256 === content).map(({ what }) => what)
    assert.deepEqual(about(first), ['rendition'])
    assert.deepEqual(about(second), ['rendition', 'original'])
    assert.match(found.find(({ sha256 }) => sha256 === first)?.detail ?? '', /delete the blob rendition\//)
  })

  void test('map squares that do not match the photos are a problem', async (t) => {
    const { waymark, dataDir } = await storeWithPhotos(t)
    const { db } = waymark.installation.database
    await db
      .insertInto('map_square')
      .values({ zoom: 11, square: 5, photos: 3, cell: 4 ** 13 * 5, image_id: 1 })
      .execute()
    const { exitCode, stdout } = await run(['check'], { dataDir })
    assert.equal(exitCode, 2)
    assert.match(stdout, /^PROBLEM {2}Counts of photos on the map are wrong \(squares: 1 of zoom 11\)/)
  })

  void test('a damaged database is a problem, not a crash', async (t) => {
    const { dataDir, waymark } = await storeWithPhotos(t)
    const copy = path.join(dataDir, 'copy.sqlite')
    await waymark.installation.database.db.executeQuery(CompiledQuery.raw('vacuum into ?', [copy]))
    const bytes = await readFile(copy)
    await writeFile(copy, bytes.fill(0x5a, 8192, 40_000))
    const settings = { DATABASE_URL: `sqlite:${copy}` }
    const { exitCode, document, stderr } = await runJson(['check'], { dataDir, settings })
    const { ok, problems } = document as { ok: boolean; problems: Record<string, string>[] }
    assert.deepEqual([exitCode, ok, stderr, problems[0]?.['what']], [2, false, '', 'database'])
    const other = await run(['keys', 'list', '--account', '1'], { dataDir, settings })
    assert.equal(other.exitCode, 2)
    assertOneSentence(other.stderr)
  })
})
