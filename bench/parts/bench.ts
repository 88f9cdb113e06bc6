// What a path of the benchmark is made of: cases, their contenders, and the goals that compare two of these in one run.

export interface Slice {
  readonly done: number
  /** Of the whole process tree, all threads. */
  readonly cpuUs: number
  readonly wallMs: number
  readonly latenciesMs?: readonly number[]
}

export interface Contender {
  readonly name: string
  /** Works for about so long, having warmed up and checked its answers before; throws where an answer is wrong. */
  slice(ms: number): Promise<Slice>
  /** Is asked so often a second, whatever it takes. @returns milliseconds of each answer, from when it was due to be asked for. */
  readonly pace?: (perSecond: number, ms: number) => Promise<readonly number[]>
}

export interface Absent {
  readonly name: string
  /** One sentence: why not measured. */
  readonly absent: string
}

/** cpu = cpuUs / done, rate = done / wallMs, p50 = median of latenciesMs. */
export type Figure = 'cpu' | 'rate' | 'p50'

/** `of` and `to` are names of contenders; the ratio is figure(of) / figure(to), in each round. */
export interface Goal {
  readonly what: string
  readonly of: string
  readonly to: string
  readonly figure: Figure
  readonly atMost?: number
  readonly atLeast?: number
  /** What would be better still: in the direction of the goal. */
  readonly stretch?: number
}

export interface Case {
  readonly name: string
  readonly contenders: readonly (Contender | Absent)[]
  readonly goals: readonly Goal[]
  readonly sliceMs?: number
  readonly rounds?: number
  /** Where a path writes to: what a plain durable write of so many bytes takes there is measured in each round. */
  readonly disk?: { readonly folder: string; readonly bytes: number }
}

export interface Ground {
  /** A temporary folder, removed at the end. */
  readonly folder: string
  /** Prints a fact under the path's table. */
  note(text: string): void
  /** Only tries whether everything works: warming up may be short. */
  readonly isQuick: boolean
  /** The folder of another version of Waymark to compare with. */
  readonly base?: string | undefined
}

export interface Prepared {
  readonly cases: readonly Case[]
  close(): Promise<void>
}

export interface BenchPath {
  readonly name: string
  /** One line. */
  readonly about: string
  prepare(ground: Ground): Promise<Prepared>
}
