// A minimal Debian in a folder, with its own network and process tree, in which a page of the docs is followed. Process 1
// is Debian's own systemd, with its own control groups.
import assert from 'node:assert/strict'
import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, copyFile, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { whyMissing } from '../helpers/tools.ts'
import { hasDevices, mirror } from './engine.ts'
import { root } from './files.ts'

const run = promisify(execFile)

/** Packages that the docs install; fetched before, since the test's machine has no network. */
const packages = ['nginx', 'curl']
/** Part of every Debian that is not a minimal one. */
const usual = 'systemd,openssl,ca-certificates,procps,psmisc'

/** Namespaces of its own, with everything that systemd needs as process 1. */
const alone =
  '--unshare-net --unshare-ipc --unshare-uts --unshare-pid --unshare-cgroup --as-pid-1 --die-with-parent --cap-add ALL'.split(
    ' ',
  )

const groups = 'mount -t sysfs -o ro sysfs /sys && mount -t cgroup2 cgroup2 /sys/fs/cgroup'

/** The reason for skipping; false if the tests can run. */
export function whyNoDebian(): string | false {
  if (process.platform !== 'linux' || process.arch !== 'x64' || process.getuid?.() !== 0)
    return 'needs root on Linux, x86-64'
  const missing = whyMissing('debootstrap', 'dpkg-deb', 'bwrap', 'nsenter', 'apt-get', 'git', 'tar')
  if (missing !== false) return missing
  if (mirror() === undefined) return 'apt knows no Debian to bootstrap'
  if (!existsSync('/proc/net/if_inet6')) return "this machine has no IPv6, on which Debian's nginx listens"
  if (!hasDevices(tmpdir())) return 'this machine lets nobody make devices, which debootstrap needs'
  const { status } = spawnSync('bwrap', ['--bind', '/', '/', ...alone, 'sh', '-c', groups])
  return status !== 0 && 'this machine lets nobody mount control groups, which systemd needs'
}

export interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface Debian {
  /** Its `/`, as a path on this machine. */
  readonly folder: string
  /** Runs a bash command as root. */
  sh(line: string): Promise<Ran>
  /** Shuts it down like a machine that is switched off properly, and boots it again. */
  reboot(): Promise<void>
  close(): Promise<void>
}

/** A Debian that runs. */
interface Booted extends Pick<Debian, 'sh'> {
  /** Resolves when its last process has ended. */
  readonly over: Promise<unknown>
  kill(): void
}

async function bootstrap(folder: string, release: string): Promise<void> {
  const words = ['--variant=minbase', `--include=${usual}`, release, folder, String(mirror())]
  await run('debootstrap', words, { maxBuffer: 2 ** 24 })
}

/** Everything that apt would fetch. */
async function prefetch(folder: string, release: string, deb: string): Promise<void> {
  await writeFile(path.join(folder, 'etc/apt/sources.list'), `deb ${mirror()} ${release} main\n`)
  await copyFile('/etc/resolv.conf', path.join(folder, 'etc/resolv.conf'))
  const apt = (...words: readonly string[]) =>
    run('chroot', [folder, 'apt-get', '--quiet', ...words], { maxBuffer: 2 ** 24 })
  // A temporary machine needs no flushed disk.
  await writeFile(path.join(folder, 'etc/dpkg/dpkg.cfg.d/unsafe-io'), 'force-unsafe-io\n')
  await apt('update')
  await apt('install', '--yes', '--download-only', `./root/${deb}`, ...packages)
}

/** @param place puts packages into root's home. */
export async function startDebian(
  release: string,
  place: (home: string) => Promise<string>,
): Promise<Debian> {
  const folder = await mkdtemp(path.join(tmpdir(), 'waymark-debian-'))
  await chmod(folder, 0o755) // it is the root folder for all users there
  try {
    await bootstrap(folder, release)
    const deb = await place(path.join(folder, 'root'))
    await prefetch(folder, release, deb)
    let booted = await enter(folder)
    return {
      folder,
      sh: (line) => booted.sh(line),
      reboot: async () => {
        await booted.sh('systemctl poweroff')
        await booted.over
        booted = await enter(folder)
      },
      close: async () => {
        booted.kill()
        await booted.over
        await rm(folder, { recursive: true, force: true })
      },
    }
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}

/** It uses this machine's kernel modules, so systemd cannot load any and reports degraded. */
async function untilBooted(sh: Debian['sh']): Promise<void> {
  for (const latest = performance.now() + 120_000; ;) {
    const { stdout, stderr } = await sh('systemctl is-system-running --wait || true')
    if (/^(running|degraded)\n/.test(stdout)) return
    assert.ok(performance.now() < latest, `systemd did not start: ${stdout}${stderr}`)
  }
}

/** What process 1 does before it becomes systemd: it gets its own control groups. */
const boot = `${groups} && echo ready && exec /lib/systemd/systemd --system --show-status=no >/dev/null 2>&1`

async function enter(folder: string): Promise<Booted> {
  const own = [...alone, '--info-fd', '3', '--setenv', 'container', 'waymark-test']
  const places = '/ --dev /dev --proc /proc --tmpfs /run --perms 1777 --tmpfs /tmp'.split(' ')
  const child = spawn('bwrap', ['--bind', folder, ...places, ...own, 'sh', '-c', boot], {
    stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
  })
  const over = once(child, 'close')
  // Its pid is known before its file system is ready; until then, nothing is found there.
  const ready = Promise.race([once(child.stdout as NodeJS.ReadableStream, 'data'), over])
  const pid = /"child-pid": (\d+)/.exec(await text(child.stdio[3] as NodeJS.ReadableStream))?.[1]
  await ready
  assert.ok(pid !== undefined && child.exitCode === null, 'bwrap did not start')
  const spaces = ['--mount', '--net', '--pid', '--ipc', '--uts', '--cgroup', '--root', '--wd']
  const inside = ['--target', pid, ...spaces]
  const env = {
    PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
    HOME: '/root',
    DEBIAN_FRONTEND: 'noninteractive',
    LANG: 'C.UTF-8',
  }
  const sh = (line: string): Promise<Ran> =>
    new Promise((resolve) => {
      const words = [...inside, 'bash', '-euo', 'pipefail', '-c', `cd\n${line}`]
      execFile('/usr/bin/nsenter', words, { env, maxBuffer: 2 ** 24 }, (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 255
        resolve({ code, stdout, stderr })
      })
    })
  await untilBooted(sh)
  return {
    sh,
    over,
    kill: () => {
      if (child.exitCode === null) process.kill(Number(pid), 'SIGKILL') // and with process 1 all others
    },
  }
}

/** The commands in a page's code blocks, by heading, one per line. */
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
