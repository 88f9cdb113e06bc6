// A signing key for test servers, generated once per process, since that takes 0.1 s.
import { loadSecret } from '../../src/auth/secret.ts'
import { loadSigningKeys } from '../../src/auth/oauth/signing-keys.ts'
import type { Db } from '../../src/database/database.ts'

let made: string | undefined

/** Stores the key in an installation that has none. The first call generates it, like a first start. */
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
