// A thousand pairs of approve and reject at the same moment on the same image (C23).
import { after, test } from 'node:test'
import { answersLate } from '../auth/redemption-races.ts'
import { runPairs } from './pairs.ts'
import { startReview } from './review-client.ts'

const place = await startReview({}, { wrapDb: answersLate })
after(() => place.waymark.close())

void test('C23: 1,000 concurrent pairs of approve and reject have one winner each, and all data agrees afterwards', () =>
  runPairs(place, 1_000))
