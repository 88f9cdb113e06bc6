// Reads a backup that was just written again, and looks whether it is what was meant to be written.
import { createHash, randomInt } from 'node:crypto'
import { secretFrom } from '../../../auth/secret.ts'
import { backupNames, readManifest, type Manifest } from '../manifest.ts'
import type { Zip, ZipEntry } from '../zip-reader.ts'

const maxManifestBytes = 128 * 1024 * 1024
const maxSecretBytes = 64 * 1024

export interface VerifyOptions {
  /** In sentences. */
  readonly file: string
  readonly written: Manifest
  /** How many files of photos to read, picked at random; of the others, only how many and how long they are. */
  readonly photosToRead: number
  readonly signal: AbortSignal
  readonly rest: () => Promise<void>
}

async function digestOf(entry: ZipEntry, { signal, rest }: VerifyOptions): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of entry.chunks()) {
    signal.throwIfAborted()
    hash.update(chunk)
    await rest()
  }
  return hash.digest('hex')
}

/** So many numbers below the other, each once. */
function pick(count: number, below: number): ReadonlySet<number> {
  const picked = new Set<number>()
  // Floyd's: each set of this size is as likely as any other.
  for (let last = Math.max(0, below - count); last < below; last += 1) {
    const one = randomInt(last + 1)
    picked.add(picked.has(one) ? last : one)
  }
  return picked
}

/** @throws Error of one sentence where anything is missing, or is other than what was written. */
export async function verifyBackup(zip: Zip, options: VerifyOptions): Promise<void> {
  const { file, written, photosToRead, rest } = options
  const picked = photosToRead < written.blobs ? pick(photosToRead, written.blobs) : undefined
  let blobs = 0
  let blobBytes = 0
  const found = new Set<string>()
  for await (const entry of zip.entries()) {
    const { name, bytes } = entry
    await rest()
    if (name.startsWith(backupNames.blobs)) {
      // What is read is compared with the checksum of the zip.
      if (picked === undefined || picked.has(blobs)) await digestOf(entry, options)
      blobs += 1
      blobBytes += bytes
      continue
    }
    found.add(name)
    if (name === backupNames.manifest) {
      if (bytes > maxManifestBytes) throw zip.damaged(`${name} has ${bytes} bytes`)
      const manifest = readManifest(await entry.read(), file)
      if (manifest.database.sha256 !== written.database.sha256)
        throw zip.damaged(`${name} is not what was written`)
    }
    if (name === backupNames.secret) {
      if (bytes > maxSecretBytes) throw zip.damaged(`${name} has ${bytes} bytes`)
      const { fingerprints } = secretFrom(await entry.read(), `in ${file}`)
      if (!fingerprints.includes(written.secretFingerprint ?? ''))
        throw zip.damaged(`${name} is not what was written`)
    }
    if (name === backupNames.database && (await digestOf(entry, options)) !== written.database.sha256)
      throw zip.damaged(`${name} is not what was written`)
  }
  const wanted = [
    backupNames.manifest,
    backupNames.database,
    ...(written.hasSecret ? [backupNames.secret] : []),
  ]
  const missing = wanted.find((name) => !found.has(name))
  if (missing !== undefined) throw zip.damaged(`${missing} is missing from it`)
  if (blobs !== written.blobs || blobBytes !== written.blobBytes)
    throw zip.damaged(`it has ${blobs} files of photos, and ${written.blobs} were written`)
}
