// The result of a `waymark doctor` check.

export interface Check {
  readonly name: string
  readonly level: 'good' | 'warning' | 'failure'
  readonly detail: string
}

export type Verdict = Omit<Check, 'name'>

export const good = (detail: string): Verdict => ({ level: 'good', detail })
export const warning = (detail: string): Verdict => ({ level: 'warning', detail })
export const failure = (detail: string): Verdict => ({ level: 'failure', detail })
