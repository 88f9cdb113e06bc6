// The ids of requests, by which the log, problem documents and pages name them: counted, under a name of this process.
import { randomUUID } from 'node:crypto'

const countDigits = 12

/**
 * @returns a generator of ids in the form of a UUID: the last part is a counter, so that no request needs random bytes.
 */
export function createRequestIds(): () => string {
  const name = randomUUID().slice(0, -countDigits)
  let count = 0
  return () => {
    count += 1
    return name + count.toString(16).padStart(countDigits, '0')
  }
}
