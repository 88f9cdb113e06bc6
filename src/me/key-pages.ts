// /account/keys: making an API key on a page, and the page on which one is replaced or revoked.
import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { keyStatus, type ApiKeys } from '../auth/api-keys.ts'
import { refuse } from '../errors.ts'
import { viewerOf } from '../sign-in/page-parts.ts'
import type { AccountPage, Fields } from './account-page.ts'
import type { Once } from './once.ts'
import { doerOf } from '../auth/guard.ts'
import type { Person } from '../sign-in/page-parts.ts'
import { keyLives, keyPage, newKeyPage, overlaps } from './sections/keys.ts'

export interface KeyPagesDependencies {
  readonly account: AccountPage
  readonly apiKeys: ApiKeys
  readonly once: Once
  readonly now: () => number
}

export function registerKeyPages(
  app: FastifyInstance,
  { account, apiKeys, once, now }: KeyPagesDependencies,
): void {
  const { site } = account

  const onceFor = ({ accountId }: Person, path: string, fields: Fields) =>
    once({ accountId, path, key: fields.get('once'), body: null })

  account.form(app, '/account/keys', 'keys', async (person, fields) => {
    const life = keyLives.find(({ value }) => value === (fields.get('expires') ?? 'never'))
    if (!life) throw refuse('invalid-field', { detail: 'expires must be never, 30, 90 or 365.' })
    const made = await apiKeys.create(person.accountId, {
      name: fields.get('name') ?? '',
      expiresAt: life.lifeMs === undefined ? undefined : now() + life.lifeMs,
      by: doerOf(person),
      alongside: onceFor(person, '/account/keys', fields),
    })
    return { title: 'Your new API key', body: newKeyPage(site, made) }
  })

  account.page(app, '/account/keys/:prefix', async (person, request, reply) => {
    const keys = await apiKeys.list(person.accountId)
    const key = keys.find(({ prefix }) => prefix === request.params.prefix)
    if (!key || keyStatus(key, now()) !== 'live') throw refuse('invalid-key-prefix')
    return site.send(reply, {
      title: key.name,
      viewer: viewerOf(request),
      body: keyPage(site, key, { now: now(), once: randomUUID() }),
    })
  })

  account.form(app, '/account/keys/:prefix/rotate', 'keys', async (person, fields, { prefix }) => {
    const overlap = overlaps.find(({ value }) => value === (fields.get('overlap') ?? '0'))
    if (!overlap) throw refuse('invalid-field', { detail: 'overlap must be 0, 1 or 7.' })
    const made = await apiKeys.rotate(person.accountId, prefix, {
      overlapMs: overlap.overlapMs,
      by: doerOf(person),
      alongside: onceFor(person, `/account/keys/${prefix}/rotate`, fields),
    })
    return { title: 'Your new API key', body: newKeyPage(site, made) }
  })

  account.form(app, '/account/keys/:prefix/revoke', 'keys', async (person, _fields, { prefix }) => {
    const isRevoked = await apiKeys.revoke(prefix, doerOf(person), person.accountId)
    if (!isRevoked) throw refuse('invalid-key-prefix')
    return 'key-revoked'
  })
}
