// manifest.json of a backup: its contents, and which versions of Waymark can read it.
import { Type, type Static } from 'typebox'
import { Compile } from 'typebox/compile'
import { failBackup } from './failures.ts'

/** Grows when an older Waymark could no longer restore what a newer one writes. */
export const backupFormat = 1

/** Names of the files in a backup; blobs lie under their keys. */
export const backupNames = {
  manifest: 'manifest.json',
  database: 'database.sqlite',
  secret: 'secret',
  blobs: 'blobs/',
} as const

const count = Type.Integer({ minimum: 0 })
const sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' })

const manifestSchema = Type.Object({
  format: Type.Integer({ minimum: 1 }),
  /** Version of the Waymark that wrote it. */
  waymark: Type.String(),
  /** RFC 3339. */
  createdAt: Type.String(),
  engine: Type.String(),
  /** The newest migration that the database has had. */
  schema: Type.String(),
  images: count,
  /** Distinct originals that images show. */
  contents: count,
  blobs: count,
  blobBytes: count,
  database: Type.Object({ bytes: count, sha256 }),
  hasSecret: Type.Boolean(),
  /** `none`: no server had used the database yet. Older versions do not say. */
  secret: Type.Optional(Type.Enum(['included', 'left-out', 'none'])),
  /**
   * Fingerprint of the secret that the database needs, whether or not it is in the backup; it reveals nothing of the
   * secret.
   */
  secretFingerprint: Type.Optional(Type.String()),
  /** Contents whose original was missing or damaged already when the backup was made. */
  missing: Type.Array(sha256),
})

export type Manifest = Static<typeof manifestSchema>

const manifestCheck = Compile(manifestSchema)
const formatCheck = Compile(Type.Object({ format: Type.Integer({ minimum: 1 }) }))

export const writeManifest = (manifest: Manifest): Buffer =>
  Buffer.from(`${JSON.stringify(manifest, undefined, 2)}\n`)

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'))
  } catch {
    return undefined
  }
}

/** @throws Error of one sentence if it is not a manifest, or needs a newer Waymark. */
export function readManifest(bytes: Uint8Array, file: string): Manifest {
  const document = parse(bytes)
  if (formatCheck.Check(document) && document.format > backupFormat) {
    throw failBackup('wrong-file', `${file} was written by a newer version of Waymark: update this one.`)
  }
  if (!manifestCheck.Check(document)) {
    throw failBackup('wrong-file', `${file} is not a Waymark backup: its manifest cannot be read.`)
  }
  if (document.engine !== 'sqlite') {
    throw failBackup('wrong-file', `${file} contains a database of another kind: ${document.engine}.`)
  }
  return document
}
