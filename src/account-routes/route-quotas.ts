// How many routes an account may have, and how much gpx (contract C38).
import type { Db } from '../database/database.ts'
import { refuse, type Refusal } from '../errors.ts'
import { inEach } from '../texts/texts.ts'
import { routeUsageOf } from './route-table.ts'

/** 0 means no limit. */
export interface RouteQuotas {
  readonly routes: number
  readonly bytes: number
}

/** @returns the refusal of so many bytes more, or of one route more, where the account has no room for them. */
export function createRouteQuotas(quotas: RouteQuotas) {
  async function findBytesReached(
    tx: Db,
    accountId: number,
    moreBytes: number,
  ): Promise<Refusal | undefined> {
    const { bytes } = await routeUsageOf(tx, accountId)
    if (quotas.bytes === 0 || bytes + moreBytes <= quotas.bytes) return undefined
    return refuse('quota-reached', {
      detail: inEach(({ limits }) => limits.routeBytes(quotas.bytes, bytes)),
    })
  }

  async function findQuotaReached(
    tx: Db,
    accountId: number,
    moreBytes: number,
  ): Promise<Refusal | undefined> {
    const { routes } = await routeUsageOf(tx, accountId)
    if (quotas.routes === 0 || routes < quotas.routes) return findBytesReached(tx, accountId, moreBytes)
    return refuse('quota-reached', {
      detail: inEach(({ limits }) => limits.routes(quotas.routes, routes)),
    })
  }

  return { findBytesReached, findQuotaReached }
}
