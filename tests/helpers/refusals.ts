// What work was refused with: one sentence, and the code by which a command ends.
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
