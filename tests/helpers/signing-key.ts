// A signing key for test servers, made once a process: making one takes a tenth of a second, and a server needs some key.
import { loadSecret } from '../../src/auth/secret.ts'
import { loadSigningKeys } from '../../src/auth/oauth/signing-keys.ts'
import type { Db } from '../../src/database/database.ts'

let made: string | undefined

/** Puts the key into an installation that has none; the first of the process makes it, as a first start does. */
export async function lendSigningKey(db: Db, secretFile: string, now: number): Promise<void> {
  const known = await db.selectFrom('signing_key').select('id').limit(1).executeTakeFirst()
  if (known) return
  const secret = await loadSecret(secretFile)
  if (made === undefined) {
    const [key] = await loadSigningKeys(db, secret, now)
    made = JSON.stringify(key)
    return
  }
  await db
    .insertInto('signing_key')
    .values({ id: 'oauth-1', sealed: secret.seal(made), created_at: now })
    .execute()
}
