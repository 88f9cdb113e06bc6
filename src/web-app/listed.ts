// What this room needs from the others: only public content, the same for every visitor.
import type { Line } from '../shared/geo/points.ts'
import type { Texts } from '../texts/texts.ts'

export interface ListedTrail {
  readonly id: number
  readonly name: string
  readonly slug: string
  readonly miles: number | null
  /** The number of public photos, and the newest of them. */
  readonly images: number
  readonly cover: number | null
}

export interface ListedPhoto {
  readonly id: number
  readonly trailName: string
  readonly trailSlug: string
  readonly title: string
  readonly caption: string
  readonly displayName: string
  /** Code of the licence; null for none. */
  readonly licence: string | null
}

export interface SharedRoute {
  readonly route: {
    readonly id: number
    readonly name: string
    readonly description: string
    readonly displayName: string
    readonly visibility: string
    /** Miles, as decimal text. */
    readonly length: string
    readonly measures: { readonly pointCount: number }
  }
  /** Outside the owner's privacy zones. */
  readonly lines: () => Promise<{ readonly lines: readonly Line[]; readonly digest: string }>
  /** Digest of the lines: equal for equal lines. */
  readonly digest: () => Promise<string>
}

export interface Listed {
  readonly trail: (slug: string) => Promise<ListedTrail | undefined>
  readonly photo: (imageId: number) => Promise<ListedPhoto | undefined>
  /** The newest photos of a trail, newest first. */
  readonly newest: (trailId: number, limit: number) => Promise<readonly ListedPhoto[]>
  /** A public route, or one with visibility link if the token is given. */
  readonly route: (routeId: number | undefined, token: string | undefined) => Promise<SharedRoute | undefined>
}

/** The placeholder for a photo that is not visible. */
export const altOf = ({ title, caption, trailName }: ListedPhoto, { photo }: Texts['webApp']): string =>
  title || caption || photo.untitled(trailName)
