// What PostgreSQL and the way to it report, told as the file system tells such things, whichever engine met them.

interface SystemError {
  readonly code: string
  readonly message: string
}

const unreachable: SystemError = { code: 'ETIMEDOUT', message: 'The database is not responding.' }
const busy: SystemError = { code: 'EBUSY', message: 'The database is locked by another writer.' }

/** By SQLSTATE (PostgreSQL, appendix A), or by its class, the first two characters. */
const byState: Readonly<Record<string, SystemError>> = {
  '08': unreachable, // of the connection
  '57': unreachable, // an operator or a crash ended it, it is starting, or it took too long
  '25P03': unreachable, // idle in its transaction for too long
  '53300': unreachable, // too many connections
  '55P03': busy, // a lock was not to be had in time
  '40001': busy, // serialisation
  '40P01': busy, // deadlock
  // A migration changed the columns of a prepared statement; it is prepared again the next time.
  '0A000': { code: 'EBUSY', message: 'A newer version of Waymark has changed the database.' },
  '53100': { code: 'ENOSPC', message: 'The disk of the database is full.' },
  '53200': { code: 'ENOMEM', message: 'The database is out of memory.' },
  '25006': { code: 'EROFS', message: 'The database is not writable.' },
  '58': { code: 'EIO', message: 'The disk of the database reports an error.' },
  XX: { code: 'EIO', message: 'The database is damaged.' },
}

/** SQLSTATE, five letters or digits; undefined for what PostgreSQL itself never said. */
function stateOf(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && 'severity' in (error as object)
    ? code
    : undefined
}

/**
 * Whether the connection is no good any more. What PostgreSQL did not say comes from the way to it: refused, reset, ended,
 * or no answer in time, after which an answer that comes late would be taken for the next one's.
 */
export function endsConnection(error: unknown): boolean {
  const state = stateOf(error)
  if (state === undefined) return true
  const severity = (error as { readonly severity?: unknown }).severity
  return severity === 'FATAL' || severity === 'PANIC' || state.startsWith('08')
}

/** Whether the statement failed only because one before it in its transaction had failed. */
export const isConsequence = (error: unknown): boolean => stateOf(error) === '25P02'

/** In the terms of the system; as it is where it is an error of a statement, which is a bug or a broken constraint. */
export function inSystemTerms(error: unknown): unknown {
  const state = stateOf(error)
  const known = state === undefined ? unreachable : (byState[state] ?? byState[state.slice(0, 2)])
  if (known === undefined) return error
  return Object.assign(new Error(known.message, { cause: error }), {
    code: known.code,
    syscall: 'postgres',
    ...(state === undefined ? {} : { sqlState: state }),
  })
}
