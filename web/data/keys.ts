// The names of what is fetched, in one place, so that an event of the server makes the right things stale.
export const keys = {
  site: ['site'],
  trails: ['trails'],
  trail: (slug: string) => ['trails', 'slug', slug],
  images: ['images'],
  trailImages: (trailId: number) => ['images', 'trail', trailId],
  /** Apart from the rest: a gallery may have thousands, and changes only those that it hears of. */
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
