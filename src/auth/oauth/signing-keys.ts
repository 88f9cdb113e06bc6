// The key that signs ID tokens: made at the first start, kept in the table signing_key, sealed with SECRET_FILE.
import { generateKeyPair } from 'node:crypto'
import { promisify } from 'node:util'
import type { JWK } from 'oidc-provider'
import type { Db } from '../../database/database.ts'
import { loadSecret, secretFrom, type Secret } from '../secret.ts'

/** RS256, since OpenID Connect asks every provider for it. */
const modulusBits = 2_048
/** A fixed id, so that of two nodes that start at once the second keeps what the first has made. */
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
 * From the first start of a server on, a database cannot do without the secret that sealed its keys.
 * @param content of SECRET_FILE; undefined where there is none.
 * @throws Error of one sentence where the secret is missing or is another installation's.
 */
export async function requireSecret(db: Db, content: Uint8Array | undefined, file: string): Promise<void> {
  const keys = await listKeys(db)
  if (keys.length === 0) return
  if (content === undefined) {
    throw new Error(
      `SECRET_FILE ${file} does not exist, but the database was used with a secret: set SECRET_FILE to the file that holds it.`,
    )
  }
  const secret = secretFrom(content, file)
  for (const { sealed } of keys) open(secret, sealed)
}

/**
 * The secret of this installation, made only at its first start: one made later would open nothing.
 * @throws Error of one sentence where it is missing or cannot be used.
 */
export const loadSecretOf = (db: Db, file: string): Promise<Secret> =>
  loadSecret(file, () => requireSecret(db, undefined, file))

/**
 * All signing keys as private JWKs, the first made where there is none. One that an older secret sealed is sealed
 * anew, so that the second line of SECRET_FILE can go after one start.
 * @throws Error of one sentence where SECRET_FILE does not open them.
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
  return keys
}
