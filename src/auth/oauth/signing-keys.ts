// The key that signs ID tokens: created at the first start, stored in the table signing_key, encrypted with
// SECRET_FILE.
import { generateKeyPair } from 'node:crypto'
import { promisify } from 'node:util'
import type { JWK } from 'oidc-provider'
import type { Db } from '../../database/database.ts'
import { findFact, forgetFact, noteFact } from '../../database/installation-facts.ts'
import { findReadOnly } from '../../database/read-only.ts'
import { loadSecret, secretFrom, type Secret } from '../secret.ts'

/** RS256, which OpenID Connect requires of every provider. */
const modulusBits = 2_048
/** A fixed id, so that of two nodes that start at once, the second uses the key of the first. */
const firstKeyId = 'oauth-1'

const generate = promisify(generateKeyPair)

async function makeFirstKey(db: Db, secret: Secret, now: number): Promise<void> {
  const { privateKey } = await generate('rsa', { modulusLength: modulusBits })
  const key = { ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256' }
  await db
    .insertInto('signing_key')
    .values({ id: firstKeyId, sealed: secret.seal(JSON.stringify(key)), created_at: now })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
}

const listKeys = (db: Db) => db.selectFrom('signing_key').select(['id', 'sealed']).orderBy('id').execute()

function open(secret: Secret, sealed: string): string {
  try {
    return secret.unseal(sealed)
  } catch (cause) {
    throw new Error(
      `The signing key in the database was encrypted with a different secret than the one in SECRET_FILE ${secret.file}: put the secret of this installation there.`,
      { cause },
    )
  }
}

/**
 * @param noted fingerprint of the secret that a server last used; undefined before the first start, and for older
 * versions.
 */
function requireNoted(secret: Secret, noted: string | undefined): void {
  if (noted === undefined || secret.fingerprints.includes(noted)) return
  throw new Error(
    `SECRET_FILE ${secret.file} contains a different secret than the one that the server of this database uses: set SECRET_FILE to the file that holds it.`,
  )
}

/**
 * The fingerprint of the secret that a server last used with this database; undefined if none, or from an older
 * version.
 */
export const findFingerprint = (db: Db): Promise<string | undefined> => findFact(db, 'secret-fingerprint')

/** Does the database contain anything that only its secret decrypts? */
export async function needsSecret(db: Db): Promise<boolean> {
  return (await findFingerprint(db)) !== undefined || (await listKeys(db)).length > 0
}

/**
 * From the first start of a server on, a database needs the secret that encrypted its keys.
 * @param content of SECRET_FILE; undefined if there is none.
 * @throws Error of one sentence if the secret is missing or belongs to another installation.
 */
export async function requireSecret(db: Db, content: Uint8Array | undefined, file: string): Promise<void> {
  if (!(await needsSecret(db))) return
  if (content === undefined) {
    throw new Error(
      `SECRET_FILE ${file} does not exist, but the database was used with a secret: set SECRET_FILE to the file that holds it.`,
    )
  }
  const secret = secretFrom(content, file)
  requireNoted(secret, await findFingerprint(db))
  for (const { sealed } of await listKeys(db)) open(secret, sealed)
}

/**
 * The secret of this installation, created only at its first start, since a later one could decrypt nothing.
 * @throws Error of one sentence if it is missing, differs from the noted one, or cannot be used.
 */
export async function loadSecretOf(db: Db, file: string): Promise<Secret> {
  const secret = await loadSecret(file, () => requireSecret(db, undefined, file))
  requireNoted(secret, await findFingerprint(db))
  return secret
}

/**
 * Notes the server's secret, after it has decrypted stored keys with it: so a database of an older version, which has
 * no note yet, cannot get a wrong one. While the secret is rotated, the new one is noted.
 */
async function noteFingerprint(db: Db, { fingerprints: [newest] }: Secret, now: number): Promise<void> {
  if (newest === undefined || (await findFingerprint(db)) === newest) return
  if ((await findReadOnly(db)) !== undefined) return // the rows may be moving elsewhere; the next start notes it
  await noteFact(db, 'secret-fingerprint', newest, now)
}

/** Deletes everything that only a lost secret could decrypt; the next start creates another. */
export async function forgetSecret(db: Db): Promise<void> {
  await db.deleteFrom('signing_key').execute()
  await forgetFact(db, 'secret-fingerprint')
}

/**
 * All signing keys as private JWKs; the first is created if there is none. A key that was encrypted with an older
 * secret is encrypted again, so that the second line of SECRET_FILE can be removed after one start.
 * @throws Error of one sentence if SECRET_FILE does not decrypt them.
 */
export async function loadSigningKeys(db: Db, secret: Secret, now: number): Promise<JWK[]> {
  if ((await listKeys(db)).length === 0) await makeFirstKey(db, secret, now)
  const keys: JWK[] = []
  for (const { id, sealed } of await listKeys(db)) {
    const text = open(secret, sealed)
    keys.push(JSON.parse(text) as JWK)
    if (secret.isStale(sealed)) {
      await db
        .updateTable('signing_key')
        .set({ sealed: secret.seal(text) })
        .where('id', '=', id)
        .execute()
    }
  }
  await noteFingerprint(db, secret, now)
  return keys
}
