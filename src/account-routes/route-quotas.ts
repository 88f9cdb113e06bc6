// Limits on the number of routes and the amount of gpx per account (contract C38).
import type { Db } from '../database/database.ts'
import { refuse, type Refusal } from '../errors.ts'
import { inEach } from '../texts/texts.ts'
import { routeUsageOf, type RouteUsage } from './route-usage-table.ts'

/** 0 means no limit. */
export interface RouteQuotas {
  readonly routes: number
  readonly bytes: number
}

/** @returns the refusal for this many more bytes or one more route, if they exceed the quota. */
export function createRouteQuotas(quotas: RouteQuotas) {
  function bytesReached({ bytes }: RouteUsage, moreBytes: number): Refusal | undefined {
    if (quotas.bytes === 0 || bytes + moreBytes <= quotas.bytes) return undefined
    return refuse('quota-reached', {
      detail: inEach(({ limits }) => limits.routeBytes(quotas.bytes, bytes)),
    })
  }

  return {
    findBytesReached: async (tx: Db, accountId: number, moreBytes: number): Promise<Refusal | undefined> =>
      bytesReached(await routeUsageOf(tx, accountId), moreBytes),

    findQuotaReached: async (tx: Db, accountId: number, moreBytes: number): Promise<Refusal | undefined> => {
      const usage = await routeUsageOf(tx, accountId)
      const { routes } = usage
      if (quotas.routes === 0 || routes < quotas.routes) return bytesReached(usage, moreBytes)
      return refuse('quota-reached', {
        detail: inEach(({ limits }) => limits.routes(quotas.routes, routes)),
      })
    },
  }
}
