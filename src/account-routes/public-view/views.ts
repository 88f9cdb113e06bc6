// Decides which view of a route a caller gets: the owner everything, others the public view if they may see the
// route, or nothing.
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
      /** Token of the link, if access depends on it. */
      readonly token?: string | undefined
    }

export interface Asked {
  readonly routeId: number | undefined
  /** Token of the link, as received. */
  readonly token: string | undefined
  /** The owner requests the public view. */
  readonly asOthers: boolean
}

function isOpen(
  { visibility, linkHash }: Pick<Route, 'visibility' | 'linkHash'>,
  token: string | undefined,
): boolean {
  if (visibility === 'public') return true
  return visibility === 'link' && token !== undefined && isLinkToken(token, { linkHash })
}

/** While its owner is suspended, only staff can see a route. */
const isForThem = (actor: Actor, { suspendedAt }: RoutePublicView): boolean =>
  suspendedAt === null || isStaff(actor)

export function createRouteViews(db: Db, publicViews: PublicViews, linkTokens: LinkTokens) {
  const findById = (routeId: number | undefined) =>
    routeId === undefined ? Promise.resolve(undefined) : findRoute(db, routeId)

  return {
    /** @throws the refusal of `hiddenRoute`, which is the same for private and for nonexistent routes. */
    require: async (actor: Actor, { routeId, token, asOthers }: Asked): Promise<RouteView> => {
      const route = await findById(routeId)
      if (route && !asOthers && maySeeOwnRoutes(actor, route)) return { of: 'owner', route }
      const isPreview = route !== undefined && asOthers && maySeeOwnRoutes(actor, route)
      const shown =
        route && (isPreview || isOpen(route, token)) ? await publicViews.find(route.id) : undefined
      // Access may have been revoked since the check; the view then has no link hash or a different one.
      if (!route || !shown || !(isPreview || isOpen(shown, token))) throw hiddenRoute(actor)
      if (!isPreview && !isForThem(actor, shown)) throw hiddenRoute(actor)
      if (shown.visibility !== 'link') return { of: 'others', route: shown }
      return { of: 'others', route: shown, token: isPreview ? linkTokens.find(route) : token }
    },

    /** @throws refusals `invalid-route-id`, and `forbidden` for another user's route that the actor may see. */
    requireChangeable: async (actor: Actor, routeId: number | undefined): Promise<Route> => {
      const route = await findById(routeId)
      if (!route) throw refuse('invalid-route-id')
      if (isOwner(actor, route)) return route
      const shown = await findPublicView(db, route.id)
      const isVisible = route.visibility === 'public' && (shown === undefined || isForThem(actor, shown))
      throw refuse(isVisible ? 'forbidden' : 'invalid-route-id')
    },
  }
}

export type RouteViews = ReturnType<typeof createRouteViews>
