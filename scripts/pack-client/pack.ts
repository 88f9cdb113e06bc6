// `npm run pack-client`: packs @waymark/client and @waymark/placing reproducibly into dist/ or the given folder.
import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { buildPackage, packageFolders, type PackageFolder } from './build.ts'

const root = path.resolve(import.meta.dirname, '../..')
const maxPackedBytes = 50_000

interface Packed {
  readonly file: string
  readonly packedBytes: number
  readonly unpackedBytes: number
}

/**
 * @param target folder of the tarball; the unpacked contents stay beside it.
 * @throws if the tarball is too large.
 */
async function pack(source: PackageFolder, target: string): Promise<Packed> {
  const folder = path.join(target, 'packages', path.basename(source))
  await mkdir(target, { recursive: true })
  await buildPackage(source, folder)
  const { stdout } = await promisify(execFile)(
    'npm',
    ['pack', '--json', '--ignore-scripts', '--pack-destination', path.resolve(target)],
    { cwd: folder },
  )
  const [packed] = JSON.parse(stdout) as { filename: string; size: number; unpackedSize: number }[]
  if (packed === undefined) throw new Error('npm packed nothing')
  if (packed.size > maxPackedBytes)
    throw new Error(`${packed.filename} has ${packed.size} bytes, more than ${maxPackedBytes}`)
  return {
    file: path.join(target, packed.filename),
    packedBytes: packed.size,
    unpackedBytes: packed.unpackedSize,
  }
}

const [, , target = path.join(root, 'dist')] = process.argv
for (const source of packageFolders) {
  const { file, packedBytes, unpackedBytes } = await pack(source, target)
  console.log(`${path.relative(root, file)}: ${packedBytes} bytes packed, ${unpackedBytes} unpacked`)
}
