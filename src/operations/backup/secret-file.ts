// SECRET_FILE in backup and restore: it must fit the database, and a restore creates it or leaves it as it is.
import * as fs from 'node:fs/promises'
import path from 'node:path'
import { readSecretFile, secretFrom } from '../../auth/secret.ts'
import { findFingerprint, needsSecret, requireSecret } from '../../auth/oauth/signing-keys.ts'
import type { Db } from '../../database/database.ts'
import { makeFolderDurably, syncFolder } from '../../storage/durable-folders.ts'
import { failBackup } from './failures.ts'
import type { Manifest } from './manifest.ts'

/**
 * `restored`: from the backup. `kept`: the file existed; if the backup contains a secret, it is the same. `missing`:
 * neither has one, and encrypted data cannot be read until the old file is back.
 */
export type SecretState = 'restored' | 'kept' | 'missing'

/**
 * A backup or restore is complete only with the secret that the database was used with.
 * @param remedy sentences for the operator, added to the reason.
 * @throws Error with the code `wrong-secret` if it is missing or another.
 */
export async function requireOwnSecret(
  db: Db,
  content: Uint8Array | undefined,
  file: string,
  remedy: string,
): Promise<void> {
  try {
    await requireSecret(db, content, file)
  } catch (error) {
    if (!(error instanceof Error) || 'code' in error) throw error // a failure of the database
    throw failBackup('wrong-secret', `${error.message.replace(/\.$/, '')}${remedy}`, error)
  }
}

/** Why SECRET_FILE is not the secret of this database's server, as one sentence; undefined if it is. */
export async function findSecretFault(db: Db, file: string): Promise<string | undefined> {
  try {
    await requireSecret(db, await readSecretFile(file), file)
    return undefined
  } catch (error) {
    if (!(error instanceof Error) || 'code' in error) throw error // a failure of the database
    return error.message
  }
}

/** What a manifest says of the secret. @param db the copy that the backup holds. */
export async function describeSecret(
  db: Db,
  content: Uint8Array | undefined,
  file: string,
): Promise<Pick<Manifest, 'hasSecret' | 'secret' | 'secretFingerprint'>> {
  const state = content ? 'included' : (await needsSecret(db)) ? 'left-out' : 'none'
  const fingerprint = (await findFingerprint(db)) ?? (content && secretFrom(content, file).fingerprints[0])
  return {
    hasSecret: content !== undefined,
    secret: state,
    ...(fingerprint === undefined ? {} : { secretFingerprint: fingerprint }),
  }
}

/** What to do with the file. @throws Error of one sentence if another secret exists, which something else may need. */
export async function fitSecret(file: string, secret: Uint8Array | undefined): Promise<SecretState> {
  const found = await readSecretFile(file)
  if (!found) return secret ? 'restored' : 'missing'
  if (!secret || found.equals(secret)) return 'kept'
  throw failBackup(
    'already-there',
    `SECRET_FILE ${file} contains a different secret than the backup: move it away, or choose another file.`,
  )
}

/** Whole or not at all, and durable, for its owner alone. */
export async function placeSecret(file: string, secret: Uint8Array): Promise<void> {
  const folder = path.dirname(file)
  await makeFolderDurably(folder)
  const draft = `${file}.restoring`
  try {
    await fs.rm(draft, { force: true })
    await fs.writeFile(draft, secret, { flag: 'wx', mode: 0o600, flush: true })
    await fs.rename(draft, file)
  } finally {
    await fs.rm(draft, { force: true })
  }
  await syncFolder(folder)
}
