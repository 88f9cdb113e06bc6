// Signing keys: created once, encrypted, and re-encrypted when SECRET_FILE is rotated.
import assert from 'node:assert/strict'
import * as fs from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { loadSecret } from '../../../src/auth/secret.ts'
import { loadSigningKeys } from '../../../src/auth/oauth/signing-keys.ts'
import type { Database } from '../../../src/database/database.ts'
import { openDatabase } from '../../../src/database/open-database.ts'
import { openTestDatabase, temporaryFolder } from '../../helpers/oauth-harness.ts'

let folder: string
let file: string
let database: Database

beforeEach(async () => {
  folder = await temporaryFolder()
  file = path.join(folder, 'secret')
  database = await openTestDatabase(folder)
})

afterEach(async () => {
  await database.close()
  await fs.rm(folder, { recursive: true, force: true })
})

void test('nodes that start simultaneously end up with one set of keys', async () => {
  const secret = await loadSecret(file)
  const second = await openDatabase({ engine: 'sqlite', file: path.join(folder, 'waymark.sqlite') })
  const sets = await Promise.all([
    loadSigningKeys(database.db, secret, 1),
    loadSigningKeys(second.db, secret, 2),
    loadSigningKeys(database.db, secret, 3),
  ])
  await second.close()
  assert.equal(sets[0].length, 1)
  assert.equal(new Set(sets.map(([key]) => key?.['n'])).size, 1)
  assert.deepEqual(await loadSigningKeys(database.db, secret, 4), sets[0])
})

void test('the private key is sealed in the database', async () => {
  const secret = await loadSecret(file)
  const [key] = await loadSigningKeys(database.db, secret, 1)
  const row = await database.db.selectFrom('signing_key').selectAll().executeTakeFirstOrThrow()
  assert.ok(typeof key?.['d'] === 'string' && key['d'].length > 300)
  assert.ok(!JSON.stringify(row).includes(key['d']))
  assert.deepEqual(JSON.parse(secret.unseal(row.sealed)), key)
})

void test('a start with two secrets seals the keys again, so that the old secret can be removed', async () => {
  const older = (await loadSecret(file).then(() => fs.readFile(file, 'utf8'))).trim()
  const keys = await loadSigningKeys(database.db, await loadSecret(file), 1)
  const newer = 'n'.repeat(43)
  await fs.writeFile(file, `${newer}\n${older}\n`)
  assert.deepEqual(await loadSigningKeys(database.db, await loadSecret(file), 2), keys)
  await fs.writeFile(file, `${newer}\n`)
  assert.deepEqual(await loadSigningKeys(database.db, await loadSecret(file), 3), keys)
})

void test('a different secret stops the start with one sentence', async () => {
  await loadSigningKeys(database.db, await loadSecret(file), 1)
  await fs.rm(file)
  await assert.rejects(loadSigningKeys(database.db, await loadSecret(file), 2), {
    message: `The signing key in the database was encrypted with a different secret than the one in SECRET_FILE ${file}: put the secret of this installation there.`,
  })
})
