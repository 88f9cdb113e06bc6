// waymark pull --originals from another Waymark: the same bytes despite kills, and which photos come as size lg and why.
import { test } from 'node:test'
import { startPostgres, whyNoPostgres } from '../helpers/postgres.ts'
import { testKilledOriginals, testMixedForms, testRefusedSignIn } from './pull-originals.ts'

void test('40 originals in every form and format, killed 20 times: identical bytes, and no request sent three times', (t) =>
  testKilledOriginals(t, {}, 20))

void test('PostgreSQL: 40 originals, killed 5 times', { skip: whyNoPostgres() }, async (t) => {
  const postgres = await startPostgres()
  t.after(() => postgres.end())
  await testKilledOriginals(t, { DATABASE_URL: await postgres.createDatabase() }, 5)
})

void test(
  'a member gets their own originals and size lg of the others; a later pull leaves these, and says so',
  testMixedForms,
)

void test('a refused sign-in ends the pull before any photo', testRefusedSignIn)
