// The progress file beside an unfinished archive: what to download, and which parts are done. It survives the
// process.
import { open, readFile, rename, rm, type FileHandle } from 'node:fs/promises'
import path from 'node:path'
import { syncFolder } from '../../storage/durable-folders.ts'
import type { Box } from './header.ts'
import type { Copies } from './order.ts'
import type { Validator } from './source.ts'

const format = 1
/** Length of the first line. */
const maxFactsBytes = 64 * 1024

/** The request. */
export interface Wanted {
  readonly from: string
  readonly box: Box
  readonly minZoom: number
  readonly maxZoom: number
}

export interface Plan {
  readonly wanted: Wanted
  readonly source: Validator
  /** The tile data: its range in the source, and its range in the target. */
  readonly sourceTilesAt: number
  readonly tilesAt: number
  /** The header of the target, in base64: written last, so that an unfinished file is never taken for an archive. */
  readonly header: string
  readonly sizes: {
    readonly tiles: number
    readonly contents: number
    readonly tileBytes: number
    readonly fetchBytes: number
    readonly directoryBytes: number
    readonly archiveBytes: number
  }
}

export interface Work {
  readonly plan: Plan
  readonly copies: Copies
  readonly requests: Uint32Array
}

export interface Progress extends Work {
  /** By request. */
  readonly isDone: Uint8Array
  /** Records them durably. Only for parts that are already durable themselves. */
  note(requests: readonly number[]): Promise<void>
  close(): Promise<void>
}

const bytesOf = (array: Float64Array | Uint32Array): Buffer =>
  Buffer.from(array.buffer, array.byteOffset, array.byteLength)

/** Two numbers each, the second the complement of the first: remnants of a power failure rarely match. */
const noteBytes = 8

function progressOn(handle: FileHandle, work: Work, isDone: Uint8Array, end: number): Progress {
  let at = end
  return {
    ...work,
    isDone,
    note: async (requests) => {
      const bytes = Buffer.alloc(requests.length * noteBytes)
      for (const [index, request] of requests.entries()) {
        bytes.writeUInt32LE(request, index * noteBytes)
        bytes.writeUInt32LE(~request >>> 0, index * noteBytes + 4)
        isDone[request] = 1
      }
      await handle.write(bytes, 0, bytes.length, at)
      await handle.datasync()
      at += bytes.length
    },
    close: () => handle.close(),
  }
}

/** Written atomically. */
export async function beginProgress(file: string, work: Work): Promise<Progress> {
  const { plan, copies, requests } = work
  const draft = `${file}.new`
  const facts = { format, copies: copies.count, requests: requests.length, plan }
  const head = Buffer.from(`${JSON.stringify(facts)}\n`)
  const parts = [head, bytesOf(copies.from), bytesOf(copies.to), bytesOf(copies.bytes), bytesOf(requests)]
  const handle = await open(draft, 'w', 0o600)
  let end = 0
  for (const part of parts) {
    await handle.write(part, 0, part.length, end)
    end += part.length
  }
  await handle.sync()
  await rename(draft, file)
  await syncFolder(path.dirname(file))
  return progressOn(handle, work, new Uint8Array(requests.length), end)
}

interface Facts {
  readonly format: number
  readonly copies: number
  readonly requests: number
  readonly plan: Plan
}

function readFacts(bytes: Buffer): { readonly facts: Facts; readonly end: number } | undefined {
  const end = bytes.subarray(0, maxFactsBytes).indexOf('\n')
  if (end < 0) return undefined
  try {
    const facts = JSON.parse(bytes.toString('utf8', 0, end)) as Facts
    return facts.format === format ? { facts, end: end + 1 } : undefined
  } catch {
    return undefined
  }
}

/** @returns undefined if there is none, or it cannot be read. */
export async function findProgress(file: string): Promise<Progress | undefined> {
  const bytes = await readFile(file).catch(() => undefined)
  const read = bytes && readFacts(bytes)
  if (!bytes || !read) return undefined
  const { facts } = read
  let at = read.end
  const take = (length: number): ArrayBuffer => {
    const part = new Uint8Array(bytes.subarray(at, at + length)).buffer
    at += length
    return part
  }
  const { copies: count, requests: requestCount } = facts
  if (bytes.length < at + count * 20 + requestCount * 4) return undefined
  const copies = {
    count,
    from: new Float64Array(take(count * 8)),
    to: new Float64Array(take(count * 8)),
    bytes: new Uint32Array(take(count * 4)),
  }
  const requests = new Uint32Array(take(requestCount * 4))
  const isDone = new Uint8Array(requestCount)
  let end = at
  for (; end + noteBytes <= bytes.length; end += noteBytes) {
    const request = bytes.readUInt32LE(end)
    if (bytes.readUInt32LE(end + 4) !== ~request >>> 0 || request >= requestCount) break
    isDone[request] = 1
  }
  return progressOn(await open(file, 'r+'), { plan: facts.plan, copies, requests }, isDone, end)
}

export const forgetProgress = (file: string): Promise<void> => rm(file, { force: true })
