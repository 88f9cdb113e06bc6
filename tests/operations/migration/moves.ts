// Shared by the tests of moves: an installation with data of every kind, and a comparison of two places.
import assert from 'node:assert/strict'
import { openBlobs } from '../../../src/storage/blob-store.ts'
import { readConfig, type Environment } from '../../../src/settings/config.ts'
import { digestTable } from '../../../src/database/copy-rows.ts'
import type { TableDigest } from '../../../src/database/table-digest.ts'
import { openDatabase } from '../../../src/database/open-database.ts'
import { layoutOf } from '../../../src/database/layout.ts'
import { jpegPicture } from '../../helpers/pictures.ts'
import type { Person, Waymark } from '../../helpers/waymark.ts'

/** Photos, a route with its GPX as bytes, numbers that must not be rounded, text in several scripts. */
export async function fill(waymark: Waymark): Promise<Person> {
  await waymark.addTrail(4711, 'Rim Trail – Grat 🏔')
  const ann = await waymark.addPerson({ role: 'reviewer', name: 'Ann Ærø' })
  const listed = await waymark.upload(ann, 4711, await jpegPicture({ seed: 1 }))
  await waymark.upload(ann, 4711, await jpegPicture({ seed: 2 }))
  assert.equal((await waymark.review(ann, listed, 'approve')).status, 200)
  await waymark.addKey(ann.accountId)
  const points = [
    [46.1, 7.1],
    [46.2000000001, 7.30000000000004],
  ].map(([lat, lon]) => `<trkpt lat="${lat}" lon="${lon}"/>`)
  const gpx = `<gpx xmlns="http://www.topografix.com/GPX/1/1" version="1.1" creator="t"><trk><trkseg>${points.join('')}</trkseg></trk></gpx>`
  const made = await waymark.fetch(`/v2/accounts/${ann.accountId}/routes`, {
    method: 'POST',
    token: ann.token,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'To the rim', gpx }),
  })
  assert.equal(made.status, 201, await made.text())
  return ann
}

/** By table, of everything that is moved. */
export async function digestsAt(environment: Environment): Promise<Record<string, TableDigest>> {
  const database = await openDatabase(readConfig(environment).databasePlace)
  try {
    return await database.snapshot(async (db) => {
      const digests: Record<string, TableDigest> = {}
      const tables = await layoutOf({ engine: database.engine, db })
      for (const table of tables)
        if (table.name !== 'read_only') digests[table.name] = await digestTable(db, table)
      return digests
    })
  } finally {
    await database.close()
  }
}

/** Every blob as hex, by key. */
export async function blobsAt(environment: Environment): Promise<ReadonlyMap<string, string>> {
  const blobs = await openBlobs(readConfig(environment))
  const found = new Map<string, string>()
  for await (const { key } of blobs.list(''))
    found.set(key, Buffer.from((await blobs.read(key)) ?? []).toString('hex'))
  await blobs.close()
  return found
}
