// Checks for system tools that a test needs.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'

const folders = [...(process.env['PATH'] ?? '').split(path.delimiter), '/usr/sbin', '/usr/local/sbin']

/** A skip reason naming the first missing tool; false if all are installed. */
export function whyMissing(...tools: readonly string[]): string | false {
  const missing = tools.find((tool) => !folders.some((folder) => existsSync(path.join(folder, tool))))
  return missing !== undefined && `${missing} is not installed`
}

/** A skip reason; false if bubblewrap works. A container without the right to make namespaces has it in vain. */
export function whyNoBubblewrap(): string | false {
  const missing = whyMissing('bwrap')
  if (missing !== false) return missing
  const words = ['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--unshare-net', 'true']
  return spawnSync('bwrap', words).status !== 0 && 'this machine lets bubblewrap make no namespaces'
}

/** A skip reason; false if strace may trace. A container may forbid that. */
export function whyNoStrace(): string | false {
  const missing = whyMissing('strace')
  if (missing !== false) return missing
  return (
    spawnSync('strace', ['-o', '/dev/null', 'true']).status !== 0 && 'this machine lets strace trace nothing'
  )
}

/** A skip reason; false if this checkout can be run as another user. */
export function whyNotAs(uid: number): string | false {
  if (process.getuid?.() !== 0) return 'needs root'
  const reading = `require('node:fs').readFileSync(${JSON.stringify(import.meta.filename)})`
  const { status } = spawnSync(process.execPath, ['--eval', reading], { uid, gid: uid })
  return status !== 0 && 'this machine lets no other user run this checkout'
}

/** Lines of strace with what glibc reads when a thread first allocates memory, which may be at any time. */
export const readByGlibc = /"\/(?:sys\/devices\/system\/cpu\/online|proc\/stat)"/
