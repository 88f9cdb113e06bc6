// SECRET_FILE: created at the first start; the keys that sign cookies and encrypt stored secrets are derived from it.
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes, randomUUID } from 'node:crypto'
import * as fs from 'node:fs/promises'
import path from 'node:path'
import { makeFolderDurably, syncFolder } from '../storage/durable-folders.ts'

/** 32 characters of base64url are 192 bits. */
const minCharacters = 32
const nonceBytes = 12
const tagBytes = 16

export interface Secret {
  /** Its path, for the operator. */
  readonly file: string
  /** Cookies are signed with the first key and accepted with any. */
  readonly cookieKeys: string[]
  /** Link tokens of routes are derived with the first key, and recognised with any. */
  readonly linkKeys: readonly Buffer[]
  /**
   * One per line of the file: identifies the secret without revealing it. The first is noted in the database, so that
   * another secret is noticed.
   */
  readonly fingerprints: readonly string[]
  /** Encrypts with the newest key; the result reveals nothing without SECRET_FILE. */
  seal(text: string): string
  /** @throws Error if the text was encrypted with neither key, or was altered. */
  unseal(sealed: string): string
  /** Was it encrypted with the older of two keys? Then encrypt it again, so that the older one can be removed. */
  isStale(sealed: string): boolean
}

function derive(line: string, purpose: 'cookies' | 'links' | 'seal' | 'fingerprint'): Buffer {
  return Buffer.from(hkdfSync('sha256', line, '', `waymark ${purpose}`, 32))
}

function encrypt(key: Buffer, text: string): string {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')
}

/** Undefined if the key is wrong or the text was altered: GCM cannot tell these apart. */
function decrypt(key: Buffer, sealed: string): string | undefined {
  const bytes = Buffer.from(sealed, 'base64url')
  if (bytes.length < nonceBytes + tagBytes) return undefined
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes), {
    authTagLength: tagBytes,
  })
  decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes))
  const body = decipher.update(bytes.subarray(nonceBytes + tagBytes))
  try {
    return Buffer.concat([body, decipher.final()]).toString('utf8')
  } catch {
    return undefined
  }
}

function isFileError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'code' in error
}

function absentAsUndefined(error: unknown): undefined {
  if (!isFileError(error) || error.code !== 'ENOENT') throw error
}

/**
 * Stores a new secret unless there is one. It is written under another name and then linked, which either creates the
 * whole file or fails: of several processes one wins, and none ever reads half a secret.
 */
async function makeUnlessThere(file: string): Promise<void> {
  const folder = path.dirname(file)
  await makeFolderDurably(folder)
  const draft = path.join(folder, `.secret-${randomUUID()}`)
  try {
    await fs.writeFile(draft, `${randomBytes(32).toString('base64url')}\n`, {
      flag: 'wx',
      mode: 0o600,
      flush: true,
    })
    await fs.link(draft, file)
  } catch (error) {
    if (!isFileError(error) || error.code !== 'EEXIST') throw error
  } finally {
    await fs.rm(draft, { force: true })
  }
  await syncFolder(folder) // a power cut must not lose the secret and keep what it encrypted
}

/**
 * Only its owner may read it. A file owned by root may also be readable by a group if we are not root: systemd and
 * Kubernetes provide secrets that way (decision 0085), and only root could have made that group too large.
 */
function isPrivate({ mode, uid }: { readonly mode: number; readonly uid: number }): boolean {
  // Windows has no such bits: there the access list of the folder protects the file.
  if (process.platform === 'win32') return true
  const isHandedOver = uid === 0 && process.getuid?.() !== 0
  return (mode & (isHandedOver ? 0o037 : 0o077)) === 0
}

function linesOf(text: string, file: string): string[] {
  const lines = text.split(/\r?\n/).filter((line) => line !== '')
  if (lines.length < 1 || lines.length > 2) {
    throw new Error(`SECRET_FILE ${file} must have one line, or two while rotating, but has ${lines.length}.`)
  }
  if (lines.some((line) => line.length < minCharacters)) {
    throw new Error(
      `SECRET_FILE ${file} is too short: each line must have at least ${minCharacters} characters.`,
    )
  }
  return lines
}

async function readLines(file: string): Promise<string[]> {
  if (!isPrivate(await fs.stat(file))) {
    throw new Error(
      `SECRET_FILE ${file} can be read by other users of this machine: run "chmod 600 ${file}".`,
    )
  }
  return linesOf(await fs.readFile(file, 'utf8'), file)
}

/** The lines of the secret; the file is created first if it does not exist. */
async function readOrMake(file: string, beforeMaking: () => Promise<void>): Promise<string[]> {
  try {
    if (!(await fs.stat(file).catch(absentAsUndefined))) {
      await beforeMaking()
      await makeUnlessThere(file)
    }
    return await readLines(file)
  } catch (error) {
    if (!isFileError(error)) throw error
    throw new Error(`SECRET_FILE ${file} cannot be used: ${error.message}.`, { cause: error })
  }
}

function secretOf(lines: readonly string[], file: string): Secret {
  const sealKeys = lines.map((line) => derive(line, 'seal'))
  const [newest] = sealKeys
  if (!newest) throw new Error(`SECRET_FILE ${file} is empty.`)

  return {
    file,
    cookieKeys: lines.map((line) => derive(line, 'cookies').toString('base64url')),
    linkKeys: lines.map((line) => derive(line, 'links')),
    fingerprints: lines.map((line) => derive(line, 'fingerprint').toString('hex')),
    seal: (text) => encrypt(newest, text),
    unseal: (sealed) => {
      for (const key of sealKeys) {
        const text = decrypt(key, sealed)
        if (text !== undefined) return text
      }
      throw new Error(
        'This was encrypted with a different secret than the one in SECRET_FILE, or has been altered.',
      )
    },
    isStale: (sealed) => decrypt(newest, sealed) === undefined,
  }
}

/**
 * Reads the secret, creating it at the first start.
 * @param beforeMaking called if there is no file yet; throws if none may be created.
 * @throws Error of one sentence if others can read it, it is too short, or it cannot be read or created.
 */
export async function loadSecret(
  file: string,
  beforeMaking = async (): Promise<void> => {},
): Promise<Secret> {
  return secretOf(await readOrMake(file, beforeMaking), file)
}

/**
 * The content of SECRET_FILE, or undefined if there is no such file.
 * @throws Error of one sentence if this user may not read it, for example because root provides it to a service.
 */
export async function readSecretFile(file: string): Promise<Buffer | undefined> {
  try {
    return await fs.readFile(file).catch(absentAsUndefined)
  } catch (error) {
    if (!isFileError(error)) throw error
    const may = error.code === 'EACCES' || error.code === 'EPERM'
    const sentence = may
      ? `SECRET_FILE ${file} cannot be read by this user: run the command as root or as the user of the server`
      : `SECRET_FILE ${file} cannot be read: ${error.message}`
    throw Object.assign(new Error(`${sentence}.`, { cause: error }), { failureCode: 'wrong-secret' })
  }
}

/**
 * The secret from the content of a SECRET_FILE, wherever that comes from.
 * @throws Error of one sentence if it is too short.
 */
export const secretFrom = (content: Uint8Array, file: string): Secret =>
  secretOf(linesOf(Buffer.from(content).toString('utf8'), file), file)
