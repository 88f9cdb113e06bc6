// The V8 flag of the server: bin/newer-node.cjs adds it to the command line, and this checks whether it is set.
import { spawnSync } from 'node:child_process'

/** Lets V8 count memory outside of its heap to a limit that grows with it, in place of a full garbage collection each 64 MB. */
export const heapFlag = '--external-memory-accounted-in-global-limit'

const loss = 'uploads take about a third more CPU, for garbage collections'

/** What a server without the flag loses, as one sentence; undefined if it has the flag. */
export function describeMissingFlag(execArgv: readonly string[] = process.execArgv): string | undefined {
  if (execArgv.some((argument) => argument.replaceAll('_', '-') === heapFlag)) return undefined
  return `Node was started without ${heapFlag}, so ${loss}: start the server with "node bin/waymark.cjs serve" on a Node that knows this flag.`
}

/** The same of a Node that would run the server. */
export function describeUnknownFlag(node: string = process.execPath): string | undefined {
  const { status } = spawnSync(node, [heapFlag, '--version'], { stdio: 'ignore' })
  return status === 0 ? undefined : `it does not know ${heapFlag}, so ${loss}`
}
