// CPU time of process trees from the kernel's scheduler, and of the rest of the machine in the meantime.
import { readdirSync, readFileSync } from 'node:fs'

/** USER_HZ, the unit of CPU times in /proc, is 100 on every Linux that Node runs on. */
const tickUs = 10_000

function readLines(file: string): string[] {
  try {
    return readFileSync(file, 'latin1').split('\n')
  } catch {
    return [] // has ended
  }
}

function tasksOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`)
  } catch {
    return []
  }
}

/** The processes and their running descendants. */
export function treeOf(pids: readonly number[]): number[] {
  const tree = [...pids]
  // The list grows during the loop, so that descendants of any depth are found.
  for (const pid of tree) {
    for (const task of tasksOf(pid)) {
      const [children = ''] = readLines(`/proc/${pid}/task/${task}/children`)
      for (const child of children.split(' ')) if (child !== '') tree.push(Number(child))
    }
  }
  return [...new Set(tree)]
}

interface Reading {
  /** Nanoseconds by process and thread. */
  readonly tasks: ReadonlyMap<string, number>
  /** In steps of 10 ms, including threads and children that have ended. */
  readonly ticks: number
}

function read(pids: readonly number[]): Reading {
  const tasks = new Map<string, number>()
  let ticks = 0
  for (const pid of treeOf(pids)) {
    for (const task of tasksOf(pid)) {
      const [figures = ''] = readLines(`/proc/${pid}/task/${task}/schedstat`)
      tasks.set(`${pid}/${task}`, Number(figures.split(' ')[0]))
    }
    const [line = ''] = readLines(`/proc/${pid}/stat`)
    // The name may contain anything. The fields after it: utime, stime, and the same of reaped children.
    const fields = line.slice(line.lastIndexOf(')') + 2).split(' ')
    for (const field of fields.slice(11, 15)) ticks += Number(field)
  }
  return { tasks, ticks }
}

/** CPU microseconds used so far by these processes and their living descendants. */
export function cpuUsOf(pids: readonly number[]): number {
  let nanoseconds = 0
  for (const figure of read(pids).tasks.values()) nanoseconds += figure
  return nanoseconds / 1_000
}

/**
 * Starts measuring the CPU of these processes and their descendants.
 * @returns a function that returns the microseconds used since. Threads and processes that have ended count in steps of
 * 10 ms.
 */
export function measureCpu(pids: readonly number[]): () => number {
  const before = read(pids)
  return () => {
    const after = read(pids)
    let nanoseconds = 0
    for (const [task, figure] of after.tasks) nanoseconds += figure - (before.tasks.get(task) ?? 0)
    const exactUs = nanoseconds / 1_000
    const ticksUs = (after.ticks - before.ticks) * tickUs
    const isSomethingLost = ticksUs > exactUs + 3 * tickUs
    return isSomethingLost ? ticksUs : exactUs
  }
}

/** CPU microseconds used by the whole machine, including time stolen by its host. */
function machineUs(): number {
  const [line = ''] = readLines('/proc/stat')
  const [user = 0, nice = 0, system = 0, , , irq = 0, soft = 0, steal = 0] = line
    .split(/ +/)
    .slice(1)
    .map(Number)
  return (user + nice + system + irq + soft + steal) * tickUs
}

/**
 * Starts measuring the CPU used by everything except this process and its descendants.
 * @returns a function that returns the share since, in cores.
 */
export function measureForeign(): () => number {
  const ours = measureCpu([process.pid])
  const before = machineUs()
  const begun = performance.now()
  return () => {
    const foreignUs = machineUs() - before - ours()
    return Math.max(0, foreignUs / ((performance.now() - begun) * 1_000))
  }
}
