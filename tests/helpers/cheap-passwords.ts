// Hashes passwords of test accounts at the minimum argon2id cost: 1 ms instead of the 26 ms of production. Sign-in reads
// the cost from the stored hash, so the same code verifies them.
import { argon2Sync, randomBytes } from 'node:crypto'

const cost = { memory: 8, passes: 1, parallelism: 1, tagLength: 32 }

const unpadded = (bytes: Buffer): string => bytes.toString('base64').replaceAll('=', '')

/** @returns `$argon2id$v=19$m=8,t=1,p=1$salt$hash`. */
export function hashCheaply(password: string): Promise<string> {
  const nonce = randomBytes(16)
  const hash = argon2Sync('argon2id', { ...cost, message: password.normalize('NFC'), nonce })
  return Promise.resolve(`$argon2id$v=19$m=8,t=1,p=1$${unpadded(nonce)}$${unpadded(hash)}`)
}
