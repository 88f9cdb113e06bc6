// Passwords as argon2id in PHC form, from node:crypto, off the event loop.
import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

const argon2Async = promisify(argon2)

/** OWASP's parameters for argon2id: 19 MiB, two passes, one lane; 26 ms of one core. */
const cost = { memory: 19 * 1024, passes: 2, parallelism: 1, tagLength: 32 }

const unpadded = (bytes: Buffer): string => bytes.toString('base64').replaceAll('=', '')

/** @returns `$argon2id$v=19$m=…,t=…,p=…$salt$hash`. */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(16)
  const hash = await argon2Async('argon2id', { ...cost, message: password.normalize('NFC'), nonce })
  return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${unpadded(nonce)}$${unpadded(hash)}`
}

/** Reads the parameters from the stored form, so that old passwords stay valid when they are raised. */
export async function isPassword(password: string, stored: string): Promise<boolean> {
  const found = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/.exec(stored)
  if (!found) return false
  const [, memory, passes, parallelism, nonce = '', hash = ''] = found
  const expected = Buffer.from(hash, 'base64')
  const actual = await argon2Async('argon2id', {
    message: password.normalize('NFC'),
    nonce: Buffer.from(nonce, 'base64'),
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    tagLength: expected.length,
  })
  return timingSafeEqual(actual, expected)
}
