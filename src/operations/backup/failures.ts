// How backup and restore refuse: one sentence for a person, and the word by which the command line knows the exit code.

export type BackupFailure =
  | 'wrong-file'
  | 'wrong-secret'
  | 'already-there'
  | 'not-there'
  | 'backup-running'
  | 'no-space'
  | 'stopped'

/** Makes the error to throw. */
export function failBackup(code: BackupFailure, sentence: string, cause?: unknown): Error {
  return Object.assign(new Error(sentence, { cause }), { failureCode: code })
}

/** A failed read or write of the system, as opposed to a file that holds the wrong thing. */
export function isOfSystem(error: unknown): boolean {
  return error instanceof Error && 'errno' in error && 'syscall' in error
}

/** Runs work on an open file: a failure of the system names it, which a write of Node's does not. */
export async function namingFile<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Error && isOfSystem(error) && !('path' in error))
      Object.assign(error, { path: file })
    throw error
  }
}
