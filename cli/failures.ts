// How a command fails: a closed list of codes with exit codes, and one sentence for any error that was thrown.
import { getSystemErrorMessage } from 'node:util'
import { CommanderError } from 'commander'
import { Refusal, refusals } from '../src/errors.ts'

/** Contract, part C. */
export const exitCodes = { ok: 0, usage: 1, refused: 2, credential: 3 } as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** The codes of `{"error": {"code", …}}`, besides those of the refusals. */
const failureCodes = {
  usage: exitCodes.usage,
  'wrong-setting': exitCodes.usage,
  'wrong-file': exitCodes.refused,
  'wrong-secret': exitCodes.refused,
  'unknown-key': exitCodes.refused,
  'database-error': exitCodes.refused,
  'system-error': exitCodes.refused,
  'server-running': exitCodes.refused,
  'storage-lost': exitCodes.refused,
  'already-there': exitCodes.refused,
  'not-there': exitCodes.refused,
  'backup-running': exitCodes.refused,
  'no-space': exitCodes.refused,
  'move-running': exitCodes.refused,
  'pull-running': exitCodes.refused,
  stopped: exitCodes.refused,
  refused: exitCodes.refused,
  unreachable: exitCodes.refused,
  'signed-out': exitCodes.credential,
  failed: exitCodes.refused,
} as const satisfies Record<string, ExitCode>

export type FailureCode = keyof typeof failureCodes

export interface Failure {
  readonly code: string
  /** One sentence for people. */
  readonly message: string
  readonly exitCode: ExitCode
}

/** Creates the error to throw: `throw fail('usage', '--id must …')`. */
export function fail(code: FailureCode, message: string): Error {
  return Object.assign(new Error(message), { failureCode: code })
}

/** For `throw fail('usage', …)`, the most common one. */
export const wrongUsage = (message: string): Error => fail('usage', message)

function failureCodeOf(error: Error): FailureCode | undefined {
  return 'failureCode' in error ? (error.failureCode as FailureCode) : undefined
}

/** commander writes `error: unknown option '--x'` and puts suggestions on a separate line. */
function usageSentence({ message }: CommanderError): string {
  const text = message.replace(/^error: /, '').replace(/\s*\n\(Did/, ' (did')
  const begun = text.charAt(0).toUpperCase() + text.slice(1)
  return begun.endsWith('.') ? begun : `${begun}.`
}

/** SQLite error codes in an operator's terms. Out of hundreds, these are the ones that occur in practice. */
const databaseSentences: Readonly<Record<number, string>> = {
  5: 'is in use by another program; try again',
  8: 'is not writable by this user',
  10: 'could not be read or written: the disk reports an error',
  11: 'is damaged: run "waymark check"',
  13: 'could not be written: the disk is full',
  14: 'could not be opened: check DATA_DIR and DATABASE_URL',
  26: 'is not a SQLite database: check DATA_DIR and DATABASE_URL',
}

function isDatabaseError(error: Error): error is Error & { errcode: number } {
  return 'errcode' in error && typeof error.errcode === 'number'
}

/** The low byte is the primary code of SQLite; the rest is the extended code. */
const primaryCode = (errcode: number): number => errcode & 0xff

/** Whether the database file is damaged, so that it cannot be queried. */
export function isBrokenDatabase(error: unknown): error is Error {
  return error instanceof Error && isDatabaseError(error) && [11, 26].includes(primaryCode(error.errcode))
}

export function isSystemError(error: unknown): error is NodeJS.ErrnoException & { errno: number } {
  return error instanceof Error && 'syscall' in error && 'errno' in error && typeof error.errno === 'number'
}

/** An operating system error, such as a missing file. */
export function systemSentence(error: NodeJS.ErrnoException & { errno: number }): string {
  return `${error.path ?? 'A file of Waymark'} cannot be used: ${getSystemErrorMessage(error.errno)}.`
}

/** Bugs have their own class, such as TypeError; errors that we throw on purpose are plain ones. */
function plainSentence(error: Error): string {
  const [line = ''] = error.message.split('\n')
  const text = line.replace(/[.\s]*$/, '.')
  return error.name === 'Error' ? text : `Internal error: ${text}`
}

function describe(error: unknown): Failure {
  if (error instanceof Refusal) {
    const { title, help } = refusals[error.code]
    return { code: error.code, message: error.detail ?? `${title}: ${help}`, exitCode: exitCodes.refused }
  }
  if (error instanceof CommanderError) {
    return { code: 'usage', message: usageSentence(error), exitCode: exitCodes.usage }
  }
  const listed = (code: FailureCode, message: string): Failure => ({
    code,
    message,
    exitCode: failureCodes[code],
  })
  if (!(error instanceof Error)) return listed('failed', plainSentence(new TypeError(String(error))))
  const code = failureCodeOf(error)
  if (code !== undefined) return listed(code, error.message)
  if (isDatabaseError(error)) {
    const sentence = databaseSentences[primaryCode(error.errcode)] ?? `failed: ${error.message}`
    return listed('database-error', `The database ${sentence}.`)
  }
  if (isSystemError(error)) return listed('system-error', systemSentence(error))
  return listed('failed', plainSentence(error))
}

/**
 * A value in the wrong place, such as a whole key instead of its prefix, may be a secret, and command output ends up
 * in logs.
 */
function withoutSecrets(message: string): string {
  return message
    .replaceAll(/(wms?_[\w-]{8})[\w-]{12,}/g, '$1…')
    .replaceAll(/('--[\w-]+)=[^']*'/g, "$1=…'")
    .replaceAll(/(:\/\/[^/?#\s:@]*):[^/?#\s@]*@/g, '$1:…@')
}

export function failureOf(error: unknown): Failure {
  const failure = describe(error)
  return { ...failure, message: withoutSecrets(failure.message) }
}
