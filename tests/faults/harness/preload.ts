// Compiles libraries that are preloaded into a server. Without a C compiler, these tests are skipped.
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, renameSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** Why nothing can be preloaded here, in one line; false if it can. */
export function whyNoPreload(): string | false {
  if (process.platform !== 'linux') return 'calls are failed by what is preloaded, on Linux only'
  return spawnSync('gcc', ['--version']).status === 0 ? false : 'gcc is not installed'
}

/**
 * @param source file name in this folder.
 * @returns the library, compiled once for each version of the source.
 */
export function compilePreload(source: string): string {
  const file = path.join(import.meta.dirname, source)
  const digest = createHash('sha256').update(readFileSync(file)).digest('hex').slice(0, 16)
  const library = path.join(tmpdir(), `waymark-${path.basename(source, '.c')}-${digest}.so`)
  if (existsSync(library)) return library
  const fresh = `${library}.${process.pid}`
  execFileSync('gcc', ['-shared', '-fPIC', '-O1', '-Wall', '-Wextra', '-Werror', '-o', fresh, file])
  renameSync(fresh, library) // two tests may compile at the same time
  return library
}
