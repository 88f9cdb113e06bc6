// Backups that are truncated, damaged, foreign or from another version are refused with one sentence, and leave nothing
// behind.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, test, type TestContext } from 'node:test'
import { DatabaseSync } from 'node:sqlite'
import { originalKey, removedName, renditionKey } from '../../../src/images/storage/blob-keys.ts'
import { backUp, leftIn, readZip, restoreInto, writeZip, type Files } from '../../helpers/backups.ts'
import { filesBelow, newFolder } from '../../helpers/folders.ts'
import { storeAsBefore } from '../../helpers/older-store.ts'
import { jpegPicture } from '../../helpers/pictures.ts'
import { startWaymark } from '../../helpers/waymark.ts'

const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** A backup of two photos, the first stored like versions before 0.3. */
async function goodBackup(t: TestContext) {
  const folder = await newFolder(t)
  const dataDir = path.join(folder, 'data')
  const waymark = await startWaymark({ dataDir })
  await waymark.addTrail(4711, 'Rim Trail')
  const ann = await waymark.addPerson()
  const photos = [await jpegPicture({ seed: 1, width: 60 }), await jpegPicture({ seed: 2, width: 60 })]
  for (const photo of photos) await waymark.upload(ann, 4711, photo)
  await storeAsBefore(waymark.installation, sha256Of(photos[0] ?? Buffer.alloc(0)))
  const file = path.join(folder, 'good.zip')
  await backUp(waymark.installation, file)
  await waymark.close()
  const kept = await digests(path.join(dataDir, 'blobs', 'kept'))
  return {
    folder,
    file,
    bytes: await readFile(file),
    files: await readZip(file),
    kept,
    hashes: photos.map(sha256Of),
  }
}

async function digests(folder: string): Promise<Record<string, string>> {
  const names = await filesBelow(folder)
  const entries = names.map(
    async (name) => [name, sha256Of(await readFile(path.join(folder, name)))] as const,
  )
  return Object.fromEntries(await Promise.all(entries))
}

/** Restores into a new folder. Returns the refusal, which must leave nothing behind. */
async function refusal(t: TestContext, file: string): Promise<string | undefined> {
  const dataDir = await newFolder(t)
  try {
    await restoreInto(dataDir, file)
    return undefined
  } catch (error) {
    assert.ok(error instanceof Error)
    assert.match(error.message, /^[^\n]+\.$/, 'one sentence')
    assert.equal('failureCode' in error ? error.failureCode : error.message, 'wrong-file')
    assert.deepEqual(await leftIn(dataDir), [])
    return error.message
  }
}

void describe('incomplete or damaged backups', { concurrency: 2 }, () => {
  void test('trust 20: a truncated backup is refused, wherever it was cut off', async (t) => {
    const { folder, bytes } = await goodBackup(t)
    const file = path.join(folder, 'cut.zip')
    const lengths = [
      0,
      1,
      4,
      22,
      100,
      ...Array.from({ length: 20 }, (_, at) => Math.floor((bytes.length * at) / 20)),
    ]
    for (const length of [...lengths, ...[1, 2, 21, 22, 23, 98, 3_000].map((lack) => bytes.length - lack)]) {
      await writeFile(file, bytes.subarray(0, length))
      assert.match(
        (await refusal(t, file)) ?? 'restored',
        /not a Waymark backup, or it is truncated/,
        `${length}`,
      )
    }
  })

  void test('trust 20: a flipped bit is detected, or is in a byte without meaning', async (t) => {
    const { folder, bytes, files, kept } = await goodBackup(t)
    const file = path.join(folder, 'turned.zip')
    const places = Array.from({ length: 40 }, (_, at) => Math.floor((bytes.length * at) / 40))
    // The central directory and its end, where each byte matters.
    for (let at = bytes.length - 800; at < bytes.length; at += 29) places.push(at)
    // Parts without a hash in the database: manifest and secret.
    const manifest = bytes.lastIndexOf('"format"')
    for (let at = manifest; at < bytes.indexOf('"missing"', manifest); at += 20) places.push(at)
    places.push(bytes.indexOf(files.find(([name]) => name === 'secret')?.[1] ?? 'none') + 5)
    let found = 0
    for (const [index, place] of places.entries()) {
      const turned = Buffer.from(bytes)
      turned[place] = (turned[place] ?? 0) ^ (1 << (index % 8))
      await writeFile(file, turned)
      const dataDir = await newFolder(t)
      try {
        await restoreInto(dataDir, file)
      } catch (error) {
        assert.ok(error instanceof Error && /^[^\n]+\.$/.test(error.message), String(error))
        assert.deepEqual(await leftIn(dataDir), [], `byte ${place}`)
        found += 1
        continue
      }
      assert.ok(
        place < manifest || place > bytes.indexOf('"missing"', manifest),
        `byte ${place} of the manifest`,
      )
      assert.deepEqual(await digests(path.join(dataDir, 'blobs', 'kept')), kept, `byte ${place}`)
      const original = files.find(([name]) => name === 'secret')?.[1]
      assert.deepEqual(await readFile(path.join(dataDir, 'secret')), original, `byte ${place}`)
    }
    assert.ok(found > 45, `only ${found} of ${places.length} were found`)
  })

  void test('anything that is not a backup is refused: other files, other zips, and names outside the folder', async (t) => {
    const { folder, files, hashes } = await goodBackup(t)
    const file = path.join(folder, 'foreign.zip')
    for (const text of ['', 'not a zip', 'PK\u0005\u0006']) {
      await writeFile(file, text)
      assert.match((await refusal(t, file)) ?? 'restored', /is not a Waymark backup/)
    }
    const refuses = async (other: Files, word: RegExp): Promise<void> => {
      await writeZip(file, other)
      assert.match((await refusal(t, file)) ?? 'restored', word)
    }
    await refuses([], /is not a Waymark backup/)
    await refuses([['readme.txt', Buffer.from('x')]], /is not a Waymark backup/)
    await refuses(files.slice(1), /is not a Waymark backup/)
    await refuses([['manifest.json', Buffer.from('{}')]], /its manifest cannot be read/)
    const escapes = [
      '../escaped',
      'blobs/../../escaped',
      '/tmp/escaped',
      'blobs//tmp/escaped',
      'C:/escaped',
      'blobs/..\\escaped',
      'blobs/original/ab/..',
      `blobs/original/zz/${hashes[0]}`,
      `blobs/rendition/${hashes[0]?.slice(0, 2)}/${hashes[1]}.lg`,
      `blobs/original/${hashes[0]?.slice(0, 2)}/${hashes[0]}.exe`,
      'waymark.sqlite',
      'blobs/',
    ]
    for (const name of escapes) await refuses([...files, [name, Buffer.from('x')]], /is damaged/)
    for (const place of [path.dirname(folder), folder, '/tmp']) assert.ok(!existsSync(`${place}/escaped`))
  })

  void test('a photo that is missing, replaced by another or compressed is detected', async (t) => {
    const { folder, files, hashes } = await goodBackup(t)
    const file = path.join(folder, 'other.zip')
    const [first = '', second = ''] = hashes
    const removed = files.find(([name]) => name.startsWith(`blobs/${renditionKey(second, removedName(''))}`))
    const keys = [originalKey(first), renditionKey(first, 'sm.webp'), renditionKey(second, 'lg')]
    const names = [...keys.map((key) => `blobs/${key}`), removed?.[0] ?? '']
    for (const name of names) {
      await writeZip(
        file,
        files.filter(([other]) => other !== name),
      )
      assert.match((await refusal(t, file)) ?? 'restored', /1 of its photos are missing from it/)
      const other = files.find(([there]) => there === `blobs/${renditionKey(first, 'md.jpeg')}`)?.[1]
      await writeZip(
        file,
        files.map(([there, bytes]) => [there, there === name ? (other ?? Buffer.alloc(0)) : bytes]),
      )
      assert.match((await refusal(t, file)) ?? 'restored', /differs from what was backed up/)
    }
    const database = files.find(([name]) => name === 'database.sqlite')?.[1] ?? Buffer.alloc(0)
    await writeZip(
      file,
      files.map(([name, bytes]) => [
        name,
        name === 'database.sqlite' ? Buffer.alloc(database.length) : bytes,
      ]),
    )
    assert.match((await refusal(t, file)) ?? 'restored', /database\.sqlite differs from what was backed up/)

    await writeZip(file, files)
    assert.equal(await refusal(t, file), undefined, 'and as it was it is restored')
    const bytes = await readFile(file)
    const record = bytes.lastIndexOf('blobs/') - 46
    bytes.writeUInt16LE(8, record + 10)
    await writeFile(file, bytes)
    assert.match((await refusal(t, file)) ?? 'restored', /compressed or encrypted/)
  })

  void test('a backup from a newer Waymark is refused by its format or its database version', async (t) => {
    const { folder, files } = await goodBackup(t)
    const file = path.join(folder, 'newer.zip')
    const manifest = JSON.parse(files[0]?.[1].toString() ?? '') as Record<string, unknown>
    const withManifest = (changes: Record<string, unknown>): Promise<void> =>
      writeZip(file, [
        ['manifest.json', Buffer.from(JSON.stringify({ ...manifest, ...changes }))],
        ...files.slice(1),
      ])
    await withManifest({ format: 2, contents: 'many', somethingNew: true })
    assert.match(
      (await refusal(t, file)) ?? 'restored',
      /written by a newer version of Waymark: update this one/,
    )
    await withManifest({ engine: 'postgres' })
    assert.match((await refusal(t, file)) ?? 'restored', /database of another kind/)

    const copy = path.join(folder, 'newer.sqlite')
    const database = files.find(([name]) => name === 'database.sqlite')?.[1] ?? Buffer.alloc(0)
    await writeFile(copy, database)
    const connection = new DatabaseSync(copy)
    connection.exec("insert into kysely_migration (name, timestamp) values ('9999-later', '')")
    connection.close()
    const newer = await readFile(copy)
    await writeZip(file, [
      [
        'manifest.json',
        Buffer.from(
          JSON.stringify({ ...manifest, database: { bytes: newer.length, sha256: sha256Of(newer) } }),
        ),
      ],
      ...files.slice(1).map(([name, bytes]) => [name, name === 'database.sqlite' ? newer : bytes] as const),
    ])
    const dataDir = await newFolder(t)
    await assert.rejects(
      restoreInto(dataDir, file),
      /written by a newer version of Waymark, which has 9999-later/,
    )
    assert.deepEqual(await leftIn(dataDir), [])
  })
})
