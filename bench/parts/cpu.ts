// CPU of process trees, all threads, as the kernel's scheduler counts it; and what the rest of the machine took meanwhile.
import { readdirSync, readFileSync } from 'node:fs'

/** As /proc counts time in files of processes and of the machine: USER_HZ is 100 on every Linux that Node runs on. */
const tickUs = 10_000

function readLines(file: string): string[] {
  try {
    return readFileSync(file, 'latin1').split('\n')
  } catch {
    return [] // ended meanwhile
  }
}

function tasksOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`)
  } catch {
    return []
  }
}

/** The processes and all that they have started and that still run. */
export function treeOf(pids: readonly number[]): number[] {
  const tree = [...pids]
  // Grows while it is walked: children are found of children too.
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
  /** In steps of 10 ms, but with what threads and children took that have ended. */
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
    // After the name, which may hold anything: utime, stime, and the same of children that were waited for.
    const fields = line.slice(line.lastIndexOf(')') + 2).split(' ')
    for (const field of fields.slice(11, 15)) ticks += Number(field)
  }
  return { tasks, ticks }
}

/** CPU microseconds so far of these processes and of their children, by what is alive now. */
export function cpuUsOf(pids: readonly number[]): number {
  let nanoseconds = 0
  for (const figure of read(pids).tasks.values()) nanoseconds += figure
  return nanoseconds / 1_000
}

/**
 * Begins to measure the CPU of these processes and their children.
 * @returns what gives the microseconds since; of threads and processes that ended meanwhile in steps of 10 ms.
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

/** CPU microseconds that the machine has spent on anything, and that its host took from it. */
function machineUs(): number {
  const [line = ''] = readLines('/proc/stat')
  const [user = 0, nice = 0, system = 0, , , irq = 0, soft = 0, steal = 0] = line
    .split(/ +/)
    .slice(1)
    .map(Number)
  return (user + nice + system + irq + soft + steal) * tickUs
}

/**
 * Begins to measure what others take: everything but this process and its children.
 * @returns what gives the foreign share since, in cores.
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
