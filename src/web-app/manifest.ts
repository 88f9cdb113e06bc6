// GET /manifest.webmanifest: what a phone needs to add the site to its home screen.
import type { FastifyInstance } from 'fastify'
import type { Brand } from '../site/brand.ts'
import type { Site } from '../site/site.ts'

export interface ManifestDependencies {
  readonly site: Pick<Site, 'href' | 'assetAddress'>
  readonly brand: () => Promise<Brand>
}

/** The length that fits below an icon. */
const maxShortLength = 12

/** As many of the first words as fit. */
export function shortName(name: string): string {
  const characters = Array.from(name)
  if (characters.length <= maxShortLength) return name
  const start = characters.slice(0, maxShortLength + 1).join('')
  const end = start.lastIndexOf(' ')
  return end > 0 ? start.slice(0, end).trimEnd() : characters.slice(0, maxShortLength).join('')
}

/** The light background colour of waymark.css. */
const backgroundColour = '#faf9f5'

export function registerManifest(app: FastifyInstance, { site, brand }: ManifestDependencies): void {
  function manifest({ name, icons, themeColours }: Brand): object {
    const drawn = { src: site.assetAddress('favicon.svg'), sizes: 'any', type: 'image/svg+xml' }
    const pictures = icons
      .filter(({ width }) => width >= 192)
      .map(({ path, width, height }) => ({
        src: site.href(path),
        sizes: `${width}x${height}`,
        type: 'image/png',
      }))
    return {
      name,
      short_name: shortName(name),
      start_url: site.href('/'),
      scope: site.href('/'),
      // With a back button, because the site has links to follow and a sign-in page.
      display: 'minimal-ui',
      theme_color: themeColours.light,
      background_color: backgroundColour,
      icons: pictures.length > 0 ? pictures : [drawn],
    }
  }

  app.get(
    '/manifest.webmanifest',
    { config: { access: { credential: 'open' }, rate: 'views' } },
    async (request, reply) => {
      const look = await brand()
      request.cacheAnswer({ dependsOn: [], isForEveryone: true })
      return reply
        .header('Content-Type', 'application/manifest+json; charset=utf-8')
        .header('Cache-Control', 'public, max-age=300')
        .send(JSON.stringify(manifest(look)))
    },
  )
}
