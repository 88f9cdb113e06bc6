// Types of a benchmark path: cases, their contenders, and goals that compare two contenders within a run.

export interface Slice {
  readonly done: number
  /** CPU of the whole process tree. */
  readonly cpuUs: number
  readonly wallMs: number
  readonly latenciesMs?: readonly number[]
}

export interface Contender {
  readonly name: string
  /** Works for about this long, after warming up and checking its responses. Throws if a response is wrong. */
  slice(ms: number): Promise<Slice>
  /**
   * Sends this many requests per second, regardless of the response times.
   * @returns latencies in milliseconds, from the time each request was due.
   */
  readonly pace?: (perSecond: number, ms: number) => Promise<readonly number[]>
}

export interface Absent {
  readonly name: string
  /** Why it was not measured, in one sentence. */
  readonly absent: string
}

/** cpu = cpuUs / done, rate = done / wallMs, p50 = median of latenciesMs. */
export type Figure = 'cpu' | 'rate' | 'p50'

/** `of` and `to` are names of contenders. The ratio of each round is figure(of) / figure(to). */
export interface Goal {
  readonly what: string
  readonly of: string
  readonly to: string
  readonly figure: Figure
  readonly atMost?: number
  readonly atLeast?: number
  /** A better value to aim for, in the direction of the goal. */
  readonly stretch?: number
}

export interface Case {
  readonly name: string
  readonly contenders: readonly (Contender | Absent)[]
  readonly goals: readonly Goal[]
  readonly sliceMs?: number
  readonly rounds?: number
  /** The folder a path writes to. In each round, a plain durable write of this many bytes is measured there. */
  readonly disk?: { readonly folder: string; readonly bytes: number }
}

export interface Ground {
  /** A temporary folder, removed at the end. */
  readonly folder: string
  /** Prints a fact under the path's table. */
  note(text: string): void
  /** Only checks that everything works; warming up may be short. */
  readonly isQuick: boolean
  /** The checkout of another version of Waymark to compare with. */
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
