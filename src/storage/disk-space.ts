// The room left on the disks of the database and of the blobs: for the metrics and doctor, and watched while serving.
import * as fs from 'node:fs/promises'
import path from 'node:path'
import type { Jobs } from '../jobs/runner.ts'
import { singleFlight } from '../shared/single-flight.ts'

export const megabyteBytes = 1024 ** 2

export interface Disk {
  readonly freeBytes: number
  /** Equal for two places on one disk. */
  readonly device: number
}

async function existing(place: string): Promise<string> {
  try {
    await fs.stat(place)
    return place
  } catch (error) {
    const isAbsent = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    const above = path.dirname(place)
    if (!isAbsent || above === place) throw error
    return existing(above)
  }
}

/** The disk of a file or folder, or of its nearest existing parent. */
export async function readDisk(place: string): Promise<Disk> {
  const there = await existing(place)
  // What an ordinary user may use: the file system reserves a part for root.
  const { bavail, bsize } = await fs.statfs(there)
  return { freeBytes: bavail * bsize, device: (await fs.stat(there)).dev }
}

/** 0 for a file that is not there. */
export async function fileBytes(file: string): Promise<number> {
  try {
    return (await fs.stat(file)).size
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return 0
    throw error
  }
}

export interface DiskState {
  readonly freeBytes: number
  readonly isLow: boolean
}

/** A disk that was low counts as recovered above this multiple of the threshold, so that one near it is reported once. */
const recoveredAt = 1.1
const lookEveryMs = 60_000

export interface DiskWatchDependencies<Name extends string> {
  /** Only for disks of this machine. */
  readonly places: Readonly<Partial<Record<Name, string>>>
  /** Setting DISK_FREE_WARNING_MB; 0 for never. */
  readonly lowMegabytes: number
  readonly log: {
    warn(facts: object, message: string): void
    info(facts: object, message: string): void
  }
  readonly jobs: Jobs
  readonly read?: (place: string) => Promise<Disk>
}

/** Says once in the log when a disk gets low, and once when it no longer is. */
export function createDiskWatch<Name extends string>(dependencies: DiskWatchDependencies<Name>) {
  const { places, lowMegabytes, jobs, log, read = readDisk } = dependencies
  const found = Object.entries<string | undefined>(places) as [Name, string | undefined][]
  const lowBytes = lowMegabytes * megabyteBytes
  let low: ReadonlySet<number> = new Set()

  function isDiskLow({ device, freeBytes }: Disk): boolean {
    return freeBytes < lowBytes * (low.has(device) ? recoveredAt : 1)
  }

  async function readOne(name: Name, place: string) {
    const disk = await read(place)
    return { name, device: disk.device, freeBytes: disk.freeBytes, isLow: isDiskLow(disk) }
  }

  async function lookAnew(): Promise<Partial<Record<Name, DiskState>>> {
    const disks = await Promise.all(
      found.flatMap(([name, place]) => (place === undefined ? [] : [readOne(name, place)])),
    )
    const byDevice = Map.groupBy(disks, ({ device }) => device)
    for (const [device, [first, ...others]] of byDevice) {
      if (!first || first.isLow === low.has(device)) continue
      const freeMegabytes = Math.floor(first.freeBytes / megabyteBytes)
      const facts = { disk: [first, ...others].map(({ name }) => name), freeMegabytes, lowMegabytes }
      if (first.isLow) log.warn(facts, 'the disk is nearly full')
      else log.info(facts, 'the disk has enough free space again')
    }
    low = new Set(disks.filter(({ isLow }) => isLow).map(({ device }) => device))
    const states = disks.map(({ name, freeBytes, isLow }) => [name, { freeBytes, isLow }])
    return Object.fromEntries(states) as Partial<Record<Name, DiskState>>
  }

  /** A disk that hangs blocks one thread of the pool, however many callers ask. */
  const look = singleFlight(lookAnew)

  const job = jobs.add({ name: 'disk-space', everyMs: lookEveryMs, run: async () => void (await look()) })

  return {
    look,

    /** Looks now and every minute. */
    start: job.start,
    close: job.close,
  }
}

export type DiskWatch<Name extends string> = ReturnType<typeof createDiskWatch<Name>>
