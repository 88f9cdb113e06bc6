// Reports a long run: figures in two columns, and the machine.
import { execFile } from 'node:child_process'
import { availableParallelism, cpus, release } from 'node:os'
import { promisify } from 'node:util'

const run = promisify(execFile)

export const count = (value: number): string => value.toLocaleString('en')

export function summaryOf(title: string, figures: Readonly<Record<string, string>>): string[] {
  const width = Math.max(...Object.keys(figures).map((name) => name.length))
  return [title, ...Object.entries(figures).map(([name, value]) => `  ${name.padEnd(width)}  ${value}`)]
}

async function fileSystemOf(folder: string): Promise<string> {
  const { stdout } = await run('df', ['--output=fstype', folder]).catch(() => ({ stdout: '' }))
  return stdout.trim().split('\n').at(-1) ?? 'unknown'
}

async function commitHere(): Promise<string> {
  const { stdout } = await run('git', ['rev-parse', '--short', 'HEAD'], { cwd: import.meta.dirname }).catch(
    () => ({ stdout: '' }),
  )
  return stdout.trim() || 'unknown'
}

/** Describes the machine. */
async function machineOf(folder: string, begun: number): Promise<string> {
  const seconds = Math.round((performance.now() - begun) / 1_000)
  const processor = `${availableParallelism()} × ${cpus()[0]?.model.trim() ?? 'unknown'}`
  const system = `Linux ${release()}, Node ${process.versions.node}, ${await fileSystemOf(folder)}`
  const today = new Date().toISOString().slice(0, 10)
  return `  took ${count(seconds)} s on ${processor}, ${system}, commit ${await commitHere()}, ${today}`
}

export function say(lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`)
}

const maxFaults = 50

export interface Finished {
  readonly lines: readonly string[]
  /** Violations, one sentence each. */
  readonly faults: readonly string[]
  readonly folder: string
  /** By performance.now(). */
  readonly begun: number
}

/** Ends a run by hand: prints figures, machine and the first faults, and sets the exit code. */
export async function finish({ lines, faults, folder, begun }: Finished): Promise<void> {
  const verdict = faults.length === 0 ? '  PASSED' : `  FAILED: ${count(faults.length)} faults`
  say([...lines, await machineOf(folder, begun), verdict, ...faults.slice(0, maxFaults)])
  process.exitCode = faults.length === 0 ? 0 : 1
}
