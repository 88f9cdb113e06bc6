// The routes of one account, read with its token.
import { findExistingAccount } from '../../src/accounts/unclaimed.ts'
import { routeDigest, type RouteElsewhere } from '../../src/account-routes/pulled-routes.ts'
import { findPulled, notePulled } from '../../src/database/pulled-table.ts'
import type { Tx } from '../../src/database/database.ts'
import { Refusal } from '../../src/errors.ts'
import type { Route } from '../../src/account-routes/route-table.ts'
import { askList, type AskedList } from './ask-list.ts'
import { readListFile } from './list-file.ts'
import type { Loss } from './losses.ts'
import { noteLoss, syncStateOf, type PullContext } from './pull-context.ts'
import { barredIn, type Submitters } from './pull-submitter.ts'
import { createTimestamps, isReadRoute, readListedRoute } from './listed-route.ts'

const root = 'Route'

export interface WantedRoutes {
  readonly accountId: number
  readonly token: string
}

export function createRoutesPull(context: PullContext, submitters: Submitters) {
  const { source, isFrom, state, routesBase, db, routes, counts, isDryRun, signal, show } = context

  async function tellMissing(accountId: number, asked: Exclude<AskedList, { how: 'list' }>): Promise<void> {
    const of = { what: 'routes', id: String(accountId) } as const
    if (asked.how === 'left') return noteLoss(context, asked.code, of, asked.detail)
    if (asked.status === 401 || asked.status === 403) return noteLoss(context, 'token-refused', of)
    if (asked.status !== 404) return noteLoss(context, 'unanswered', of, `It responded with ${asked.status}.`)
    // A8: only the message tells the two cases apart.
    if (/invalid account/i.test(asked.text)) return noteLoss(context, 'unknown-account', of)
  }

  /** The response contains no account name if the account has only routes. */
  async function keepOwner(tx: Tx, id: number): Promise<void> {
    await submitters.requireOpen(tx, id)
    if (await findExistingAccount(tx, id)) {
      await notePulled(tx, 'account', { id, source, digest: '' })
      return
    }
    await submitters.keepIn(tx, { id, displayName: `Account ${id}`, email: undefined })
    await noteLoss(context, 'name-unknown', { what: 'account', id: String(id) })
  }

  /** @throws errors that would meet every other route as well. */
  async function noteRefused(error: unknown, of: Pick<Loss, 'what' | 'id'>): Promise<void> {
    const barred = barredIn(error)
    if (barred) return noteLoss(context, barred, of)
    if (!(error instanceof Refusal) || error.code !== 'invalid-field') throw error
    await noteLoss(context, 'gpx-refused', of, typeof error.detail === 'string' ? error.detail : undefined)
  }

  async function bring(route: RouteElsewhere): Promise<boolean> {
    try {
      if (!isDryRun) await routes.bring(route, (tx) => keepOwner(tx, route.accountId))
      counts.routes.new += 1
      return true
    } catch (error) {
      await noteRefused(error, { what: 'route', id: String(route.id) })
      return false
    }
  }

  async function follow(route: RouteElsewhere, here: Route): Promise<boolean> {
    try {
      // Its owner may have changed it after it was compared.
      if (!isDryRun && !(await routes.follow(route, here))) return await takeOne(route)
      counts.routes.changed += 1
      return true
    } catch (error) {
      await noteRefused(error, { what: 'route', id: String(route.id) })
      counts.routes.unchanged += 1
      return false
    }
  }

  /** @returns whether it is stored here as on the other server. */
  async function takeOne(route: RouteElsewhere): Promise<boolean> {
    const of = { what: 'route', id: String(route.id) } as const
    if (state.isLeft('route', of.id)) return false
    const here = await routes.find(route.id)
    const hereDigest = here && routeDigest(await routes.textsOf(here))
    const pulled = (await findPulled(db, 'route', [route.id])).get(route.id)
    if (pulled && !isFrom(pulled.source)) {
      await noteLoss(context, 'pulled-elsewhere', of, `That URL is ${pulled.source}.`)
      return false
    }
    const syncState = syncStateOf(hereDigest, routeDigest(route), pulled?.digest)
    if (syncState === 'new') return bring(route)
    if (syncState === 'deleted-here' || syncState === 'id-in-use') {
      await noteLoss(context, syncState, of)
      return false
    }
    if (here && here.accountId !== route.accountId) {
      await noteLoss(context, 'moved-there', of)
      return false
    }
    if (syncState === 'edited-here') {
      await noteLoss(context, syncState, of)
      counts.routes.unchanged += 1
      return false
    }
    if (syncState === 'changed' && here) return follow(route, here)
    if (syncState === 'agreed' && !isDryRun) await routes.agree(route)
    counts.routes.unchanged += 1
    return true
  }

  return async ({ accountId, token }: WantedRoutes): Promise<void> => {
    const of = { what: 'routes', id: String(accountId) } as const
    if (state.isLeft('routes', of.id)) return
    const barred = await submitters.whyBarred(accountId)
    if (barred) return noteLoss(context, barred, of)
    show(`routes of account ${accountId}`)
    const url = new URL(`${routesBase}/Accounts/${accountId}/Routes`)
    // In XML a server may report the time of day (C10).
    const wanted = { of: `routes ${accountId}`, root, url, bearer: token, prefersXml: true }
    const asked = await askList(context, wanted)
    if (asked.how !== 'list') return tellMissing(accountId, asked)
    const timestampOf = createTimestamps()
    for await (const fields of readListFile(asked.stored.file, {
      root,
      contentType: asked.stored.contentType,
    })) {
      signal.throwIfAborted()
      const route = readListedRoute(fields, accountId)
      if (!isReadRoute(route)) {
        await noteLoss(context, route.code, { what: 'route', id: route.id }, route.detail)
        continue
      }
      const { created, notes, ...rest } = route
      const { at, isInOrder } = timestampOf(created)
      if (!(await takeOne({ ...rest, createdAt: at }))) continue
      for (const code of notes) await noteLoss(context, code, { what: 'route', id: String(route.id) })
      if (!isInOrder) await noteLoss(context, 'order-differs', of)
      if (created.unitMs > 1_000) await noteLoss(context, 'time-of-day-unknown', of)
    }
  }
}
