// Builds the image with Buildah, like an operator. No image registry is used: the official base image is replaced by a
// minimal Debian of the same release, with npm and the Node of this test.
import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { chmod, copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { parentOfFolders } from '../helpers/folders.ts'
import { whyNoMounts } from '../faults/harness/disks.ts'
import { whyMissing, whyNoBubblewrap } from '../helpers/tools.ts'
import { listAt, read, root, treeAt } from './files.ts'

const run = promisify(execFile)

/** As in the official images of Node 26. */
const npmVersion = '11.19.1'
/** Three stages, two of them with libraries. */
const neededBytes = 4 * 1024 ** 3
const base = 'localhost/waymark-base'
const built = 'localhost/waymark'

/** This machine's Debian mirror; undefined on another system. */
export function mirror(): string | undefined {
  const format = '$(ORIGIN)|$(LABEL)|$(COMPONENT)|$(REPO_URI)'
  const targets = execFileSync('apt-get', ['indextargets', 'Created-By: Packages', '--format', format])
  const line = String(targets)
    .split('\n')
    .find((one) => one.startsWith('Debian|Debian|main|'))
  return line?.split('|')[3]
}

/** What debootstrap tries first: a device, and a program. A file system may be mounted without either. */
const tryOut = `mknod "$1" c 1 3 && echo > "$1" && rm "$1" && printf '#!/bin/sh\\n' > "$1" && chmod +x "$1" && "$1"
  code=$?; rm -f "$1"; exit $code`

/** Whether a Debian can be bootstrapped below this folder. */
export const hasDevices = (folder: string): boolean =>
  spawnSync('sh', ['-c', tryOut, 'sh', path.join(folder, `waymark-device-${process.pid}`)]).status === 0

/** The folder for images; undefined if there is none. */
const parentOfImages = (): string | undefined => [parentOfFolders(neededBytes), tmpdir()].find(hasDevices)

/** The reason for skipping; false if an image can be built and run. */
export function whyNoEngine(): string | false {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'needs root on Linux'
  const missing = whyMissing('debootstrap', 'buildah', 'nsenter', 'curl', 'apt-get')
  const why = missing || whyNoMounts() || whyNoBubblewrap()
  if (why !== false) return why
  if (parentOfImages() === undefined) return 'this machine lets nobody make devices, which debootstrap needs'
  return mirror() === undefined && 'apt knows no Debian to make a base image of'
}

export interface ImageConfig {
  readonly environment: Readonly<Record<string, string>>
  readonly user: string
  readonly workdir: string
  readonly command: readonly string[]
  readonly healthCheck: readonly string[]
  readonly volumes: readonly string[]
  readonly stopSignal: unknown
}

export interface BuiltImage {
  /** The folder that is `/` in the image. */
  readonly root: string
  readonly config: ImageConfig
  /** The files that the builder receives according to .dockerignore. */
  sent(files: readonly string[]): Promise<string[]>
  close(): Promise<void>
}

const textsAt = (value: unknown, name: string): string[] => listAt(value, name).map(String)

function configOf(inspected: unknown): ImageConfig {
  const config = treeAt(inspected, 'Docker', 'config')
  const variables = textsAt(config, 'Env').map((line) => [
    line.slice(0, line.indexOf('=')),
    line.slice(line.indexOf('=') + 1),
  ])
  return {
    environment: Object.fromEntries(variables) as Record<string, string>,
    user: String(config['User']),
    workdir: String(config['WorkingDir']),
    command: [...textsAt(config, 'Entrypoint'), ...textsAt(config, 'Cmd')],
    healthCheck: textsAt(config['Healthcheck'], 'Test').slice(1),
    volumes: Object.keys(treeAt(config, 'Volumes')),
    stopSignal: config['StopSignal'],
  }
}

type Buildah = (...words: readonly string[]) => Promise<string>

/** With overlays if the system supports them, otherwise copies. */
async function buildahIn(folder: string): Promise<Buildah> {
  const buildah =
    (driver: string): Buildah =>
    async (...words) => {
      const places = ['--root', path.join(folder, 'store'), '--runroot', path.join(folder, 'run')]
      const all = [...places, '--storage-driver', driver, ...words]
      return (await run('buildah', all, { maxBuffer: 16 * 1024 ** 2 })).stdout.trim()
    }
  const overlay = buildah('overlay')
  const works = await overlay('from', 'scratch')
    .then((name) => overlay('mount', name))
    .then(Boolean, () => false)
  return works ? overlay : buildah('vfs')
}

const settingOfNpm = async (name: string): Promise<string | undefined> => {
  const { stdout } = await run('npm', ['config', 'get', name])
  return ['null', 'undefined', ''].includes(stdout.trim()) ? undefined : stdout.trim()
}

const cacheInImage = '/var/cache/npm'

/** npm in the image uses this machine's registry and certificates. */
async function configureNpm(local: string): Promise<void> {
  const authorities = (await settingOfNpm('cafile')) ?? process.env['NODE_EXTRA_CA_CERTS']
  const lines = [`registry=${await settingOfNpm('registry')}`, `cache=${cacheInImage}`]
  await mkdir(path.join(local, 'etc'), { recursive: true })
  if (authorities !== undefined) {
    await copyFile(authorities, path.join(local, 'etc/npm-authorities.pem'))
    lines.push('cafile=/usr/local/etc/npm-authorities.pem')
  }
  await writeFile(path.join(local, 'etc/npmrc'), lines.join('\n'))
}

/** Replaces node:26-trixie-slim, including libatomic1, which Node needs. */
async function makeBase(buildah: Buildah, release: string): Promise<void> {
  const container = await buildah('from', 'scratch')
  const place = await buildah('mount', container)
  await run('debootstrap', ['--variant=minbase', '--include=libatomic1', release, place, String(mirror())])
  const local = path.join(place, 'usr/local')
  await copyFile(process.execPath, path.join(local, 'bin/node'))
  await chmod(path.join(local, 'bin/node'), 0o755)
  await run('npm', ['install', '--global', '--prefix', local, `npm@${npmVersion}`])
  await configureNpm(local)
  for (const name of ['var/cache/apt', 'var/lib/apt/lists'])
    await rm(path.join(place, name), { recursive: true, force: true })
  await buildah('commit', '--rm', '--quiet', container, base)
}

/** @throws Error with the builder's output. */
export async function buildImage(dockerfile: string): Promise<BuiltImage> {
  const release = /^ARG NODE_IMAGE=node:[\d.]+-(\w+)-slim$/m.exec(await read('Dockerfile'))?.[1]
  if (release === undefined) throw new Error('The Dockerfile names no slim Debian image of Node.')
  const folder = await mkdtemp(path.join(parentOfImages() ?? tmpdir(), 'waymark-image-'))
  const buildah = await buildahIn(folder)
  const close = async (): Promise<void> => {
    await buildah('umount', '--all')
    await buildah('rm', '--all')
    await rm(folder, { recursive: true, force: true })
  }
  try {
    await makeBase(buildah, release)
    // npm's own cache, to avoid downloads.
    const cache = (await settingOfNpm('cache')) ?? path.join(folder, 'npm')
    await mkdir(cache, { recursive: true })
    const how = [
      '--isolation',
      'chroot',
      '--pull-never',
      '--format',
      'docker',
      '--volume',
      `${cache}:${cacheInImage}`,
    ]
    await buildah(
      'bud',
      ...how,
      '--build-arg',
      `NODE_IMAGE=${base}`,
      '--file',
      dockerfile,
      '--tag',
      built,
      root,
    )
    return {
      root: await buildah('mount', await buildah('from', '--pull-never', built)),
      config: configOf(JSON.parse(await buildah('inspect', '--type', 'image', built))),
      sent: (files) => sentFiles(buildah, folder, files),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** The files that are sent, from an image that contains only them. */
async function sentFiles(buildah: Buildah, folder: string, files: readonly string[]): Promise<string[]> {
  const context = await mkdtemp(path.join(folder, 'context-'))
  for (const file of files) {
    await mkdir(path.dirname(path.join(context, file)), { recursive: true })
    await writeFile(path.join(context, file), '')
  }
  await copyFile(path.join(root, '.dockerignore'), path.join(context, '.dockerignore'))
  const dockerfile = path.join(folder, 'everything')
  await writeFile(dockerfile, 'FROM scratch\nCOPY . /\n')
  const tag = 'localhost/waymark-context'
  await buildah('bud', '--isolation', 'chroot', '--file', dockerfile, '--tag', tag, context)
  const place = await buildah('mount', await buildah('from', '--pull-never', tag))
  const { stdout } = await run('find', [place, '-type', 'f', '-printf', '%P\\n'])
  return stdout.trim().split('\n').toSorted()
}
