// Why work was refused: one sentence, and the exit code of the command.
import assert from 'node:assert/strict'

export interface Failed {
  readonly failureCode?: string
  readonly message: string
}

export async function sentenceOf(work: Promise<unknown>): Promise<Failed> {
  const failed = await work.then(
    () => assert.fail('it was taken'),
    (error: unknown) => error as Failed,
  )
  assert.match(failed.message, /^[^\n]+\.$/)
  return failed
}
