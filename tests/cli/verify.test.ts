// `waymark verify`: a Waymark passes every check, and each violation is found by its check.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { checkGroups } from '../../cli/verify/run-checks.ts'
import { readingBreaches } from './verify-breaches.ts'
import { writingBreaches } from './verify-write-breaches.ts'
import { idsOf, lookAt, startAlteringProxy, startSite, type Site } from './verify-helpers.ts'

interface Listed {
  readonly items: readonly { readonly title: string; readonly status: string; readonly name: string }[]
}

void describe('waymark verify', () => {
  let site: Site
  before(async () => {
    site = await startSite()
  })
  after(() => site.waymark.close())

  void test('D4: a Waymark passes every check, and only a pending photo remains', async () => {
    const { waymark, walker, newcomer } = site
    const written = await lookAt({ site, baseUrl: waymark.url, write: true })
    const read = await lookAt({ site, baseUrl: waymark.url, person: newcomer, ids: ['routes-none'] })
    const outcomes = [...written.outcomes, ...read.outcomes]
    for (const { id, verdict } of outcomes)
      assert.notEqual(verdict.result, 'failed', `${id}: ${JSON.stringify(verdict)}`)
    assert.deepEqual(idsOf(written.outcomes, 'skipped'), ['routes-none']) // of an account that has routes
    const ids = checkGroups.flatMap(({ checks }) => checks.map(({ id }) => id))
    assert.equal(new Set(ids).size, ids.length)
    assert.deepEqual(new Set(idsOf(outcomes, 'passed')), new Set(ids))

    assert.deepEqual([written.left.images.length, written.left.routes, written.troubles], [1, [], []])
    const seen = async (path: string): Promise<Listed['items']> =>
      ((await (await waymark.fetch(path, { token: walker.token })).json()) as Listed).items
    const [photo, ...others] = (await seen('/v2/images')).filter(({ status }) => status === 'pending')
    assert.deepEqual([photo?.title, others], ['waymark verify', []])
    const routes = await seen(`/v2/accounts/${walker.accountId}/routes`)
    assert.deepEqual(
      routes.map(({ name }) => name),
      ['Rim'],
    )
  })

  for (const { id, wrong, alter, seen, after: made } of [...readingBreaches, ...writingBreaches])
    void test(`${id}: ${wrong}`, async (t) => {
      const baseUrl = await startAlteringProxy(t, site.waymark.url, alter)
      const isWriting = writingBreaches.some((breach) => breach.id === id)
      const { outcomes, left } = await lookAt({ site, baseUrl, write: isWriting, ids: [...(made ?? []), id] })
      const found = outcomes.find((outcome) => outcome.id === id)?.verdict
      assert.equal(found?.result, 'failed', JSON.stringify(outcomes))
      assert.match(found.seen, seen)
      assert.deepEqual(left.routes, [], 'cleared up all the same')
    })
})
