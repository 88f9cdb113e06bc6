// The one kind of failure of this folder: an archive, or the server that has it, is not what it should be.

/** Makes the error to throw; the command line ends with exit code 2 and this sentence alone. */
export function wrongArchive(sentence: string): Error {
  return Object.assign(new Error(sentence), { failureCode: 'wrong-file' })
}

export const isWrongArchive = (error: unknown): error is Error =>
  error instanceof Error && 'failureCode' in error && error.failureCode === 'wrong-file'
