// How the site looks now: a copy in memory, which a commit that may have changed it makes to be read anew.
import { createHash } from 'node:crypto'
import type { Changes } from '../../commits.ts'
import type { Db } from '../../database/database.ts'
import { shadesOf, stylesheetOf } from '../../shared/colours/accent.ts'
import { ownThemeColours, type Brand, type BrandPicture } from '../../site/brand.ts'
import { readChosen, type Chosen, type KeptPicture } from './chosen.ts'

export interface Stylesheet {
  readonly path: string
  readonly text: string
}

/** Named by its text, so that another version of Waymark, which may derive other shades, has another address. */
function stylesheetFor(accent: string): Stylesheet {
  const text = stylesheetOf(accent)
  const hash = createHash('sha256').update(text).digest('hex')
  return { path: `/brand/${hash}.css`, text }
}

export const pathOf = (hash: string): string => `/brand/${hash}.png`

const pictureOf = ({ hash, width, height }: KeptPicture): BrandPicture => ({
  path: pathOf(hash),
  width,
  height,
})

function themeColoursOf(accent: string | null): Brand['themeColours'] {
  if (accent === null) return ownThemeColours
  const { light, dark } = shadesOf(accent)
  return { light: light.accent, dark: dark['tint-back'] }
}

interface Look {
  readonly brand: Brand
  readonly stylesheet: Stylesheet | undefined
}

function lookOf({ name, accent, footer, logo, favicon }: Chosen, siteName: string): Look {
  const stylesheet = accent === null ? undefined : stylesheetFor(accent)
  const brand: Brand = {
    name: name ?? siteName,
    logo: logo?.logo ? pictureOf(logo.logo) : undefined,
    icons: (favicon ?? logo)?.icons.map(pictureOf) ?? [],
    accent: accent ?? undefined,
    stylesheet: stylesheet?.path,
    themeColours: themeColoursOf(accent),
    footer,
  }
  return { brand, stylesheet }
}

export interface LiveBrandDependencies {
  readonly db: Db
  readonly changes: Changes
  /** The setting SITE_NAME. */
  readonly siteName: string
}

export async function createLiveBrand({ db, changes, siteName }: LiveBrandDependencies) {
  const read = async () => lookOf((await readChosen(db)).chosen, siteName)
  let since = changes.count()
  let look = await read()
  let reading: Promise<void> | undefined

  // A choice touches everything; nothing has to name it.
  const isCurrent = (): boolean => changes.isUntouchedSince(since, [])

  async function readAnew(): Promise<void> {
    const before = changes.count()
    look = await read()
    since = before
  }

  /** A caller that joins a read may have arrived after a commit that the read did not see, so it checks again. */
  async function catchUp(): Promise<void> {
    while (!isCurrent()) {
      reading ??= readAnew().finally(() => {
        reading = undefined
      })
      await reading
    }
  }

  return {
    brand: (): Brand => look.brand,
    stylesheet: (): Stylesheet | undefined => look.stylesheet,
    isPresent: isCurrent,
    /** To be waited for before something is made of the brand that is kept; undefined where it is the present one. */
    follow: (): Promise<void> | undefined => (isCurrent() ? undefined : catchUp()),
    /** Begins to read it where it may have changed; one that cannot be read stays as it is. */
    notice: (): void => {
      if (!isCurrent()) void catchUp().catch(() => undefined)
    },
    /** The brand as it is now, also for what is no request, before which nobody has looked. */
    present: async (): Promise<Brand> => {
      changes.look()
      if (!isCurrent()) await catchUp()
      return look.brand
    },
  }
}

export type LiveBrand = Awaited<ReturnType<typeof createLiveBrand>>
