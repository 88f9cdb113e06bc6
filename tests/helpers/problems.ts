// What every refusal must look like, on any endpoint (contract C37).
import assert from 'node:assert/strict'
import { refusals, type RefusalCode } from '../../src/errors.ts'

export interface SeenProblem {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly instance: string
}

/** Must not appear in any response: traces of code, SQL, the file system or secrets. */
export const leak =
  /node_modules|\.ts:\d|\bat .+:\d+:\d+|\bselect\b.+\bfrom\b|sqlite|\/tmp\/|\/dev\/|wm_\w{20}|Bearer \w/i

/**
 * Asserts that the response is the refusal with this code as problem+json, with all its headers.
 * @returns the document.
 */
export async function assertProblem(answer: Response, code: RefusalCode, message = ''): Promise<SeenProblem> {
  const text = await answer.text()
  const context = `${message} → ${answer.status} ${text}`
  const { status, title } = refusals[code]
  assert.equal(answer.status, status, context)
  assert.equal(answer.headers.get('content-type'), 'application/problem+json; charset=utf-8', context)
  const problem = JSON.parse(text) as SeenProblem
  const { type, title: seenTitle, status: seenStatus, detail, instance, ...others } = problem
  assert.deepEqual(
    { type, title: seenTitle, status: seenStatus },
    { type: `https://trails.example/problems/${code}`, title, status },
    context,
  )
  assert.deepEqual(others, {}, context)
  assert.match(instance, /^urn:waymark:request:[\w-]+$/, context)
  assert.match(detail, /^\S.*\.$/s, context) // the detail may begin with a field name
  assert.doesNotMatch(text, leak)
  assert.equal(answer.headers.get('referrer-policy'), 'no-referrer', context)
  assert.equal(answer.headers.get('x-content-type-options'), 'nosniff', context)
  assert.equal(answer.headers.get('cache-control'), 'no-store', context)
  return problem
}

/** The status of a response and, for a refusal, its title: a short text for comparison with a table. */
export async function outcomeOf(answer: Response): Promise<string> {
  const text = await answer.text()
  if (answer.status < 400) return String(answer.status)
  return `${answer.status} ${(JSON.parse(text) as SeenProblem).title}`
}
