// Compiles what is preloaded into a server under test; a machine without a C compiler skips those tests.
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, renameSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** Why nothing can be preloaded here, in one line; false where it can. */
export function whyNoPreload(): string | false {
  if (process.platform !== 'linux') return 'calls are failed by what is preloaded, on Linux only'
  return spawnSync('gcc', ['--version']).status === 0 ? false : 'gcc is not installed'
}

/** @param source name of a file beside this one. @returns the library, compiled once for each text of it. */
export function compilePreload(source: string): string {
  const file = path.join(import.meta.dirname, source)
  const digest = createHash('sha256').update(readFileSync(file)).digest('hex').slice(0, 16)
  const library = path.join(tmpdir(), `waymark-${path.basename(source, '.c')}-${digest}.so`)
  if (existsSync(library)) return library
  const fresh = `${library}.${process.pid}`
  execFileSync('gcc', ['-shared', '-fPIC', '-O1', '-Wall', '-Wextra', '-Werror', '-o', fresh, file])
  renameSync(fresh, library) // two tests may compile at once
  return library
}
