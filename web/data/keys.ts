// The query keys in one place, so that an event of the server invalidates the right queries.
export const keys = {
  site: ['site'],
  trails: ['trails'],
  trail: (slug: string) => ['trails', 'slug', slug],
  images: ['images'],
  trailImages: (trailId: number) => ['images', 'trail', trailId],
  /** Separate from the rest: a gallery may have thousands of photos, and updates single ones by events. */
  listed: (trailId: number) => ['listed', trailId],
  ownImages: ['images', 'own'],
  image: (imageId: number) => ['images', 'one', imageId],
  queue: ['queue'],
  queueSummary: ['queue', 'summary'],
  reasons: ['reasons'],
  routes: ['routes'],
  route: (routeId: number) => ['routes', 'one', routeId],
  me: ['me'],
  admin: ['admin'],
} as const
