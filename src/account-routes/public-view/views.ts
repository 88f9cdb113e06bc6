// Who gets which view of a route: its owner the whole, whoever it is shown to what is shown, anybody else nothing at all.
import { hiddenRoute, isOwner, isStaff, maySeeOwnRoutes, type Actor } from '../../auth/guard.ts'
import type { Db } from '../../database/database.ts'
import { refuse } from '../../errors.ts'
import { isLinkToken, type LinkTokens } from '../link-tokens.ts'
import { findRoute, type Route } from '../route-table.ts'
import { findPublicView, type RoutePublicView } from './public-view-table.ts'
import type { PublicViews } from './public-views.ts'

export type RouteView =
  | { readonly of: 'owner'; readonly route: Route }
  | {
      readonly of: 'others'
      readonly route: RoutePublicView
      /** Of the link, where that is what opens the route. */
      readonly token?: string | undefined
    }

export interface Asked {
  readonly routeId: number | undefined
  /** Of the link, as it came. */
  readonly token: string | undefined
  /** The owner wants to see what others see. */
  readonly asOthers: boolean
}

function isOpen(
  { visibility, linkHash }: Pick<Route, 'visibility' | 'linkHash'>,
  token: string | undefined,
): boolean {
  if (visibility === 'public') return true
  return visibility === 'link' && token !== undefined && isLinkToken(token, { linkHash })
}

/** While its owner is suspended a route is for staff alone. */
const isForThem = (actor: Actor, { suspendedAt }: RoutePublicView): boolean =>
  suspendedAt === null || isStaff(actor)

export function createRouteViews(db: Db, publicViews: PublicViews, linkTokens: LinkTokens) {
  const findById = (routeId: number | undefined) =>
    routeId === undefined ? Promise.resolve(undefined) : findRoute(db, routeId)

  return {
    /** @throws the refusal of `hiddenRoute`, which is the same for what is private and for what does not exist. */
    require: async (actor: Actor, { routeId, token, asOthers }: Asked): Promise<RouteView> => {
      const route = await findById(routeId)
      if (route && !asOthers && maySeeOwnRoutes(actor, route)) return { of: 'owner', route }
      const isPreview = route !== undefined && asOthers && maySeeOwnRoutes(actor, route)
      const shown =
        route && (isPreview || isOpen(route, token)) ? await publicViews.find(route.id) : undefined
      // It may have been closed since it was looked at; what is shown of it then holds no or another hash of its link.
      if (!route || !shown || !(isPreview || isOpen(shown, token))) throw hiddenRoute(actor)
      if (!isPreview && !isForThem(actor, shown)) throw hiddenRoute(actor)
      if (shown.visibility !== 'link') return { of: 'others', route: shown }
      return { of: 'others', route: shown, token: isPreview ? linkTokens.find(route) : token }
    },

    /** @throws refusals `invalid-route-id`, and `forbidden` for another's that the actor may see. */
    requireChangeable: async (actor: Actor, routeId: number | undefined): Promise<Route> => {
      const route = await findById(routeId)
      if (!route) throw refuse('invalid-route-id')
      if (isOwner(actor, route)) return route
      const shown = await findPublicView(db, route.id)
      const isTold = route.visibility === 'public' && (shown === undefined || isForThem(actor, shown))
      throw refuse(isTold ? 'forbidden' : 'invalid-route-id')
    },
  }
}

export type RouteViews = ReturnType<typeof createRouteViews>
