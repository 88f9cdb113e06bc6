// Two reviewers at once, on image after image; review/pairs.slow.test.ts does it a thousand times (C23).
import { after, test } from 'node:test'
import { answersLate } from '../auth/redemption-races.ts'
import { runPairs } from './pairs.ts'
import { startReview } from './review-client.ts'

const place = await startReview({}, { wrapDb: answersLate })
after(() => place.waymark.close())

void test('C23: of a concurrent approve and reject one wins, and list, history, feed, counts and version agree', () =>
  runPairs(place, 40))
