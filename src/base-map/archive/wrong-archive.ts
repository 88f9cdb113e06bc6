// The error of this folder: an archive, or the server that has it, is not as expected.

/** Creates the error to throw; the command line ends with exit code 2 and prints only this sentence. */
export function wrongArchive(sentence: string): Error {
  return Object.assign(new Error(sentence), { failureCode: 'wrong-file' })
}

export const isWrongArchive = (error: unknown): error is Error =>
  error instanceof Error && 'failureCode' in error && error.failureCode === 'wrong-file'
