// The ids of requests, by which the log, problem documents and pages name them: counted, under a name of this process.
import { randomUUID } from 'node:crypto'

const countDigits = 12

/** @returns what gives the next id, in the form of a UUID: its last part is the count, so that no request draws one of its own. */
export function createRequestIds(): () => string {
  const name = randomUUID().slice(0, -countDigits)
  let count = 0
  return () => {
    count += 1
    return name + count.toString(16).padStart(countDigits, '0')
  }
}
