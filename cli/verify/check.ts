// What a check of `waymark verify` is: a rule of the contract, what it requires, and how it is checked.
import type { Subject } from './subject.ts'

export interface Passed {
  readonly result: 'passed'
}

export interface Failed {
  readonly result: 'failed'
  /** The request, without its credential. */
  readonly asked: string
  /** The result, as the end of a sentence. */
  readonly seen: string
  /** It failed because a credential was refused; nothing else follows about the server. */
  readonly isCredential?: true
}

export interface Skipped {
  readonly result: 'skipped'
  /** One sentence. */
  readonly why: string
}

export type Verdict = Passed | Failed | Skipped

export const passed: Passed = { result: 'passed' }

export const failed = ({ asked }: { readonly asked: string }, seen: string): Failed => ({
  result: 'failed',
  asked,
  seen,
})

export const skipped = (why: string): Skipped => ({ result: 'skipped', why })

/** Fails if a violation was seen. */
export const verdictOf = (answer: { readonly asked: string }, seen: string | undefined): Verdict =>
  seen === undefined ? passed : failed(answer, seen)

/** What a check depends on, or why it is missing. */
export type Found<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly why: string }

export const found = <T>(value: T): Found<T> => ({ ok: true, value })

export const missing = (why: string): { readonly ok: false; readonly why: string } => ({ ok: false, why })

/** What the user has to provide, as named in sentences. */
export const needs = {
  write: '--write',
  trail: '--trail ID',
  account: '--account ID',
  key: 'WAYMARK_API_KEY',
  token: 'WAYMARK_TOKEN or "waymark login"',
} as const

export type Need = keyof typeof needs

export interface Check {
  /** Stable across versions, for scripts. */
  readonly id: string
  /** Contract IDs, the decisive one first: Part A is specified, Part B was decided by Waymark. */
  readonly about: readonly [string, ...string[]]
  /** What is true if it passes. */
  readonly title: string
  readonly needs?: readonly Need[]
  readonly look: (subject: Subject) => Promise<Verdict>
}

export interface CheckGroup {
  readonly name: string
  readonly checks: readonly Check[]
}

export type Basis = 'given' | 'decided'

export const basisOf = ({ about: [first] }: Pick<Check, 'about'>): Basis =>
  first.startsWith('A') ? 'given' : 'decided'
