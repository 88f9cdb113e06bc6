// A minimal Debian in a folder, run in a network and a tree of processes of its own, in which a page of the docs is followed.
import assert from 'node:assert/strict'
import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { whyMissing } from '../helpers/tools.ts'
import { mirror } from './engine.ts'
import { root } from './files.ts'

const run = promisify(execFile)

/** What the docs install; fetched before, since the machine of the test has no network. */
const packages = ['nginx', 'curl']
/** Of every Debian that was not bootstrapped to be small. */
const usual = 'openssl,ca-certificates,procps,psmisc'

/** The sentence to skip with; false where the tests can run. */
export function whyNoDebian(): string | false {
  if (process.platform !== 'linux' || process.arch !== 'x64' || process.getuid?.() !== 0)
    return 'needs root on Linux, x86-64'
  const missing = whyMissing('debootstrap', 'dpkg-deb', 'bwrap', 'nsenter', 'apt-get', 'git', 'tar')
  if (missing !== false) return missing
  return mirror() === undefined && 'apt knows no Debian to bootstrap'
}

export interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface Debian {
  /** Of its `/`, on this machine. */
  readonly folder: string
  /** A line for bash, run by root in its home. */
  sh(line: string): Promise<Ran>
  close(): Promise<void>
}

/** Builds both packages: that of this checkout, and the same with the number of the version after it. */
export async function makePackages(folder: string, version: string, next: string): Promise<void> {
  const words = ['scripts/package.ts', '--with-changes', '--only-deb']
  await run(process.execPath, words, { cwd: root, maxBuffer: 2 ** 24 })
  const made = path.join(root, 'dist/package', `waymark_${version}_amd64.deb`)
  await copyFile(made, path.join(folder, path.basename(made)))
  const tree = path.join(folder, 'tree')
  await run('dpkg-deb', ['-R', made, tree])
  for (const [file, line] of [
    ['DEBIAN/control', `Version: ${version}`],
    ['opt/waymark/package.json', `"version": "${version}"`],
  ] as const) {
    const old = await readFile(path.join(tree, file), 'utf8')
    assert.ok(old.includes(line))
    await writeFile(path.join(tree, file), old.replace(line, line.replace(version, next)))
  }
  const deb = path.join(folder, `waymark_${next}_amd64.deb`)
  await run('dpkg-deb', ['--root-owner-group', '-Zgzip', '-z1', '--build', tree, deb])
  await rm(tree, { recursive: true })
}

async function bootstrap(folder: string, release: string): Promise<void> {
  const words = ['--variant=minbase', `--include=${usual}`, release, folder, String(mirror())]
  await run('debootstrap', words, { maxBuffer: 2 ** 24 })
}

/** All that apt would fetch. */
async function prefetch(folder: string, release: string, deb: string): Promise<void> {
  await writeFile(path.join(folder, 'etc/apt/sources.list'), `deb ${mirror()} ${release} main\n`)
  await copyFile('/etc/resolv.conf', path.join(folder, 'etc/resolv.conf'))
  const apt = (...words: readonly string[]) =>
    run('chroot', [folder, 'apt-get', '--quiet', ...words], { maxBuffer: 2 ** 24 })
  // A machine that is thrown away needs nothing flushed to its disk.
  await writeFile(path.join(folder, 'etc/dpkg/dpkg.cfg.d/unsafe-io'), 'force-unsafe-io\n')
  await apt('update')
  await apt('install', '--yes', '--download-only', `./root/${deb}`, ...packages)
}

/** @param place the function that puts packages into the home of root. */
export async function startDebian(
  release: string,
  place: (home: string) => Promise<string>,
): Promise<Debian> {
  const folder = await mkdtemp(path.join(tmpdir(), 'waymark-debian-'))
  await chmod(folder, 0o755) // it is the root of everyone there
  try {
    await bootstrap(folder, release)
    const deb = await place(path.join(folder, 'root'))
    await prefetch(folder, release, deb)
    // What systemd's packages ask for, to know whether it runs.
    await mkdir(path.join(folder, 'run/systemd/system'), { recursive: true })
    for (const name of ['systemctl', 'journalctl']) {
      await copyFile(path.join(root, 'tests/deploy/data', name), path.join(folder, 'usr/bin', name))
      await chmod(path.join(folder, 'usr/bin', name), 0o755)
    }
    return await enter(folder)
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}

async function enter(folder: string): Promise<Debian> {
  const alone = '--unshare-net --unshare-ipc --unshare-uts --unshare-pid --info-fd 3 --cap-add ALL'.split(' ')
  const places = [
    '--bind',
    folder,
    '/',
    '--dev',
    '/dev',
    '--proc',
    '/proc',
    '--perms',
    '1777',
    '--tmpfs',
    '/tmp',
  ]
  const child = spawn('bwrap', [...places, ...alone, 'sh', '-c', 'echo ready; exec sleep infinity'], {
    stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
  })
  const over = once(child, 'close')
  // Its id is told before its tree is in place: until then, nothing is found in it.
  const ready = Promise.race([once(child.stdout as NodeJS.ReadableStream, 'data'), over])
  const pid = /"child-pid": (\d+)/.exec(await text(child.stdio[3] as NodeJS.ReadableStream))?.[1]
  await ready
  assert.ok(pid !== undefined && child.exitCode === null, 'bwrap did not start')
  const inside = ['--target', pid, '--mount', '--net', '--pid', '--ipc', '--uts', '--root', '--wd']
  const env = {
    PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
    HOME: '/root',
    DEBIAN_FRONTEND: 'noninteractive',
    LANG: 'C.UTF-8',
  }
  return {
    folder,
    sh: (line) =>
      new Promise((resolve) => {
        const words = [...inside, 'bash', '-euo', 'pipefail', '-c', `cd\n${line}`]
        execFile('/usr/bin/nsenter', words, { env, maxBuffer: 2 ** 24 }, (error, stdout, stderr) => {
          const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 255
          resolve({ code, stdout, stderr })
        })
      }),
    async close() {
      if (child.exitCode === null) process.kill(Number(pid), 'SIGKILL') // and with process 1 all others
      await over
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** The commands of the blocks of a page, by its headings, a line each. */
export function commandsOf(
  page: string,
): { readonly heading: string; readonly commands: readonly string[] }[] {
  return page
    .split(/^(?=## )/m)
    .map((section) => ({
      heading: /^## (.+)/.exec(section)?.[1] ?? '',
      commands: [...section.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block = '']) =>
        block
          .replaceAll('\\\n', ' ')
          .split('\n')
          .filter((line) => line.trim() !== ''),
      ),
    }))
    .filter(({ commands }) => commands.length > 0)
}

/** Files of a folder of the docs. */
export const pagesIn = async (folder: string): Promise<string[]> =>
  (await readdir(path.join(root, folder))).filter((name) => name.endsWith('.md')).toSorted()

/** Unpacks data of an older version. */
export const unpack = (archive: string, folder: string): void =>
  void execFileSync('tar', ['xzf', archive, '-C', folder])
