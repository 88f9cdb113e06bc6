// Disks for fault tests: ext4 in a file, which can lose its power, and a small one in memory, which can be filled.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * FS_IOC_SHUTDOWN with EXT4_GOING_FLAGS_NOLOGFLUSH: nothing reaches the disk after this call, not even the journal. It
 * opens the folder first and waits for a line, so that the cut is immediate.
 */
const cutter = `
  use Fcntl;
  sysopen(my $folder, $ARGV[0], O_RDONLY) or die "open: $!";
  print "ready\\n"; STDOUT->flush();
  my $word = <STDIN>;
  my $flags = pack('L', 2);
  ioctl($folder, 0x8004587d, $flags) or die "ioctl: $!";
`

export interface Disk {
  /** Mount point. */
  readonly folder: string
  remove(): Promise<void>
}

export interface LoopDisk extends Disk {
  /** @returns the time (performance.now()) before which everything counts. */
  cutPower(): Promise<number>
  /** Mounts it again, as after a power cut: the file system replays its journal. No file may be open. */
  remount(): Promise<void>
}

/** Why disks cannot be mounted here, in one line; false if they can. */
export function whyNoMounts(): string | false {
  if (process.getuid?.() !== 0) return 'mounting a disk needs root'
  const folder = path.join(tmpdir(), `waymark-mount-${process.pid}`)
  spawnSync('mkdir', ['-p', folder])
  const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'none', folder]).status === 0
  if (isMounted) spawnSync('umount', [folder])
  spawnSync('rmdir', [folder])
  return isMounted ? false : 'this machine lets nobody mount a disk'
}

/** The same for a disk that can lose its power. */
export function whyNoLoopDisks(): string | false {
  const missing = ['mkfs.ext4', 'perl', 'losetup'].find((tool) => spawnSync('which', [tool]).status !== 0)
  if (missing !== undefined) return `${missing} is not installed`
  const refusal = whyNoMounts()
  if (refusal !== false) return refusal
  return spawnSync('losetup', ['--find']).status === 0 ? false : 'this machine has no loop devices'
}

export async function createLoopDisk({ megabytes }: { readonly megabytes: number }): Promise<LoopDisk> {
  const parent = await mkdtemp(path.join(tmpdir(), 'waymark-disk-'))
  const image = path.join(parent, 'image')
  const folder = path.join(parent, 'mounted')
  await mkdir(folder)
  await run('truncate', ['--size', `${megabytes}M`, image])
  await run('mkfs.ext4', ['-q', '-F', '-i', '4096', image])
  // The journal is committed only every five minutes, so that unsynced data does not reach the disk.
  const mount = () => run('mount', ['-o', 'loop,commit=300', image, folder])
  await mount()
  return {
    folder,
    cutPower: async () => {
      const child = spawn('perl', ['-MIO::Handle', '-e', cutter, folder], {
        stdio: ['pipe', 'pipe', 'inherit'],
      })
      const ended = once(child, 'exit')
      await once(child.stdout, 'data')
      const at = performance.now()
      child.stdin.end('cut\n')
      const [code] = (await ended) as [number | null]
      if (code !== 0) throw new Error('the power could not be cut')
      return at
    },
    remount: async () => {
      await run('umount', [folder])
      await mount()
    },
    remove: async () => {
      await run('umount', [folder]).catch(() => run('umount', ['--lazy', folder]))
      await rm(parent, { recursive: true, force: true })
    },
  }
}

/** A small disk in memory. */
export async function createSmallDisk({ megabytes }: { readonly megabytes: number }): Promise<Disk> {
  const folder = await mkdtemp(path.join(tmpdir(), 'waymark-small-disk-'))
  await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'none', folder])
  return {
    folder,
    remove: async () => {
      await run('umount', [folder]).catch(() => run('umount', ['--lazy', folder]))
      await rm(folder, { recursive: true, force: true })
    },
  }
}
