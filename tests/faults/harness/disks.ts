// Disks to spoil: ext4 in a file, which can lose its power, and a small one in memory, which can be full.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * FS_IOC_SHUTDOWN with EXT4_GOING_FLAGS_NOLOGFLUSH: from this call on nothing more reaches the disk, not even the
 * journal. It opens the folder first and then waits for a line, so that the cut follows the word at once.
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
  /** Where it is mounted. */
  readonly folder: string
  remove(): Promise<void>
}

export interface LoopDisk extends Disk {
  /** @returns the moment before which everything counts, by performance.now(). */
  cutPower(): Promise<number>
  /** Mounts it again, as after power came back: the file system replays its journal. Nothing may be open on it. */
  remount(): Promise<void>
}

/** Why disks cannot be mounted here, in one line; false where they can. */
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
  // The journal is written every five minutes only, so that nothing gets onto the disk that nobody asked to sync.
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

/** A disk in memory that is soon full. */
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
