// The key that signs ID tokens: made at the first start, kept in the table signing_key, sealed with SECRET_FILE.
import { generateKeyPair } from 'node:crypto'
import { promisify } from 'node:util'
import type { JWK } from 'oidc-provider'
import type { Db } from '../database/database.ts'
import type { Secret } from './secret.ts'

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
      `The signing key in the database was sealed with another secret than the one in SECRET_FILE ${secret.file}: put the secret of this installation there.`,
      { cause },
    )
  }
}

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
