// Races of uploads and garbage collections in one store and database, scheduled step by step.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { utimes } from 'node:fs/promises'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import type { KyselyPlugin } from 'kysely'
import type { Actor } from '../../../src/auth/guard.ts'
import { createFsBlobs } from '../../../src/storage/fs-blobs.ts'
import type { Blobs } from '../../../src/storage/port.ts'
import { openDatabase } from '../../../src/database/open-database.ts'
import { migrate } from '../../../src/database/migrate.ts'
import { Refusal } from '../../../src/errors.ts'
import { originalKey, renditionKey } from '../../../src/images/storage/blob-keys.ts'
import { createRepeatedUploads } from '../../../src/images/upload/repeated-upload.ts'
import { createRenditionStore } from '../../../src/images/view/rendition-store.ts'
import { createGarbageCollection } from '../../../src/images/storage/garbage-collection.ts'
import { createUpload } from '../../../src/images/upload/upload.ts'
import { createIdempotencyKeys } from '../../../src/idempotency/idempotency-keys.ts'
import { realSystem } from '../../../src/system.ts'
import { newFolder } from '../../helpers/folders.ts'
import { createDie, createTurns, type Turns } from '../../helpers/turns.ts'
import { accountRow, trailRow } from '../../database/database-suite.ts'
import { bytesOf, contents, digestOf, examined, keysOf } from './raced-contents.ts'

const hourMs = 3_600_000
/** Simulates a crash during garbage collection. */
const crash = new Error('the sweep died here')

const uploader: Actor = {
  kind: 'account',
  accountId: accountRow.id,
  role: 'member',
  scopes: new Set(['images:write']),
  via: 'client',
}

interface Races {
  /** Leaves an old unreferenced copy of the content, as after a crash. */
  leave(content: number): Promise<void>
  upload(content: number): Promise<void>
  /** One pass; with `mayDie`, it may crash at any point of its deletions. */
  sweep(mayDie: boolean): Promise<void>
  /** Deletes the rows of all images of the content. */
  deleteImages(content: number): Promise<void>
  /** Originals that were missing while referenced, checked after every deletion and upload. */
  readonly lost: ReadonlySet<string>
  /** Advances the clock. */
  advance(): void
  counts: { uploaded: number; busy: number; swept: number; died: number }
  /** Marked contents, and blobs in the store. */
  leftovers(): Promise<{ marked: number; blobs: number }>
}

async function openRaces(t: TestContext, turns: Turns, die: () => number): Promise<Races> {
  const folder = await newFolder(t)
  const store = path.join(folder, 'blobs')
  const databaseFile = path.join(folder, 'waymark.sqlite')
  const files = await createFsBlobs(store)
  const database = await openDatabase({ engine: 'sqlite', file: databaseFile })
  await migrate(database)
  await database.db.insertInto('trail').values(trailRow).execute()
  await database.db.insertInto('account').values(accountRow).execute()
  const observer = new DatabaseSync(databaseFile, { readOnly: true })
  t.after(async () => {
    observer.close()
    await database.close()
  })
  const counts = { uploaded: 0, busy: 0, swept: 0, died: 0 }
  let clock = Date.now()
  const now = (): number => clock

  const lost = new Set<string>()
  const shown = observer.prepare('select distinct sha256 from image')

  /** Sees committed data, like another process. */
  function look(): void {
    const ofShown = new Set(shown.all().map(({ sha256 }) => sha256))
    for (let content = 0; content < contents; content += 1) {
      const sha256 = digestOf(bytesOf(content))
      const isThere = (keys: readonly string[]) => keys.every((key) => existsSync(fileOf(key)))
      if (ofShown.has(sha256) && !isThere([originalKey(sha256)]) && !isThere(keysOf(content)))
        lost.add(sha256)
    }
  }

  const fileOf = (key: string): string => path.join(store, 'kept', key)

  /** Most writes are old immediately, so that the one-day threshold does not protect them. */
  async function age(key: string): Promise<void> {
    const at = (now() - (die() < 0.8 ? 25 * hourMs : 0)) / 1000
    await utimes(fileOf(key), at, at)
  }

  function blobsIn(mayDie: boolean): Blobs {
    let isDead = false
    return {
      ...files,
      receive: (source, limit) =>
        turns.alone(async () => {
          const staged = await files.receive(source, limit)
          const keep = (key: string): Promise<void> =>
            turns.alone(async () => {
              await staged?.keep(key)
              await age(key)
            })
          return staged && { ...staged, keep }
        }),
      put: (key, bytes, durability) =>
        turns.alone(async () => {
          await files.put(key, bytes, durability)
          await age(key)
        }),
      has: (key) => turns.alone(() => files.has(key)),
      read: (key) => turns.alone(() => files.read(key)),
      removeAll: async (keys, mayGoOn) => {
        const failed = new Map<string, Error>()
        for (const key of keys)
          await turns.alone(async () => {
            if (mayDie && die() < 0.3) {
              isDead = true
              throw crash
            }
            for (const fault of await files.removeAll([key], mayGoOn)) failed.set(...fault)
            look()
          })
        return failed
      },
      list: async function* (folder) {
        const entries = files.list(folder)[Symbol.asyncIterator]()
        for (;;) {
          if (isDead) throw crash // garbage collection continues after a failure, but a dead process does not
          const entry = await (die() < 0.3 ? turns.alone(() => entries.next()) : entries.next())
          if (entry.done === true) return
          yield entry.value
        }
      },
      // Temporary files are newer than the mocked clock, and are tested elsewhere.
      sweepStaged: async () => {
        if (isDead) throw crash
        return 0
      },
    }
  }

  /** Another actor may run after any statement. */
  const takingTurns: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      if (die() < 0.3) await turns.turn()
      return result
    },
  }
  const db = database.db.withPlugin(takingTurns)
  const blobs = blobsIn(false)

  function uploadOf(content: number) {
    const renditions = {
      jobsStarted: () => 0,
      load: () => ({ running: 0, waiting: 0 }),
      examine: async () => examined(content),
      makeWebp: async () => [],
      readMetadata: async () => examined(content),
      drawMarks: async () => [],
      close: async () => undefined,
    }
    return createUpload({
      database: { ...database, db },
      blobs,
      renditions,
      store: createRenditionStore({ db, blobs, renditions }),
      system: { ...realSystem, now },
      quotas: { pendingImages: 0, bytes: 0 },
      maxBytes: 1_000_000,
      repeats: createRepeatedUploads(createIdempotencyKeys(now), now),
      siteTimeZone: 'UTC',
      findRuler: async () => undefined,
    })
  }

  async function deleteImages(content: number): Promise<void> {
    const sha256 = digestOf(bytesOf(content))
    await db.transaction().execute(async (tx) => {
      const ids = tx.selectFrom('image').select('id').where('sha256', '=', sha256)
      await tx.deleteFrom('image_history').where('image_id', 'in', ids).execute()
      await tx.deleteFrom('image').where('sha256', '=', sha256).execute()
    })
  }

  return {
    counts,
    lost,

    leave: async (content) => {
      await deleteImages(content)
      const bytes = bytesOf(content)
      const sha256 = digestOf(bytes)
      await files.put(originalKey(sha256), bytes, 'durable')
      await files.put(renditionKey(sha256, 'sm.jpeg'), bytes, 'remakeable')
      const at = (now() - 25 * hourMs) / 1000
      await utimes(fileOf(originalKey(sha256)), at, at)
      await utimes(fileOf(renditionKey(sha256, 'sm.jpeg')), at, at)
    },

    upload: async (content) => {
      const bytes = bytesOf(content)
      async function* body(): AsyncGenerator<Uint8Array> {
        yield bytes
      }
      try {
        // A separate key makes each a new upload; most would otherwise be retries of an existing image.
        await uploadOf(content).take(uploader, { trailId: trailRow.id, key: randomUUID() }, body())
        counts.uploaded += 1
        look()
      } catch (error) {
        if (!(error instanceof Refusal) || error.code !== 'busy') throw error
        counts.busy += 1
      }
    },

    sweep: async (mayDie) => {
      try {
        counts.swept += (await createGarbageCollection(db, blobsIn(mayDie), now).run()).blobs
      } catch (error) {
        if (error !== crash) throw error
        counts.died += 1
      }
    },

    deleteImages,

    advance: () => {
      clock += hourMs
    },

    leftovers: async () => ({
      marked: observer.prepare('select sha256 from content where condemned_at is not null').all().length,
      blobs: (await Array.fromAsync(files.list(''))).length,
    }),
  }
}

/** The concurrent actors of one race, mostly on one content. */
function actorsOf(races: Races, die: () => number, sweeps: number, content: number): (() => Promise<void>)[] {
  const some = (min: number, max: number, act: () => Promise<void>) =>
    Array.from({ length: min + Math.floor(die() * (max - min + 1)) }, () => act)
  const mayDie = die() < 0.3
  return [
    ...some(1, 2, () => races.upload(content)),
    ...some(0, 1, () => races.upload((content + 1) % contents)),
    ...some(0, 1, () => races.deleteImages(content)),
    ...some(sweeps, sweeps, () => races.sweep(mayDie)),
  ]
}

export interface RaceSeries {
  readonly rounds: number
  /** Concurrent garbage collections per race. */
  readonly sweeps: number
  readonly seed: number
}

/** Runs races in sequence in one store, and asserts that no original is ever lost. */
export async function runRaces(t: TestContext, { rounds, sweeps, seed }: RaceSeries): Promise<void> {
  const die = createDie(seed)
  const turns = createTurns(die)
  const races = await openRaces(t, turns, die)
  for (let round = 0; round < rounds; round += 1) {
    races.advance()
    const content = Math.floor(die() * contents)
    if (die() < 0.8) await races.leave(content)
    await turns.run(actorsOf(races, die, sweeps, content))
    assert.deepEqual([...races.lost], [], `round ${round}`)
  }
  t.diagnostic(JSON.stringify(races.counts))
  // Races without any interference would prove nothing.
  for (const [what, count] of Object.entries(races.counts))
    assert.ok(count > rounds / 50, `${what}: ${count}`)

  // Leftovers of the last races and crashes are deleted by the next run, once unreferenced and a day old.
  for (let content = 0; content < contents; content += 1) await races.leave(content)
  for (let hour = 0; hour <= 24; hour += 1) races.advance()
  await races.sweep(false)
  assert.deepEqual(await races.leftovers(), { marked: 0, blobs: 0 })
}
