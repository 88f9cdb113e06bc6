// The present look of the site: a copy in memory, which is read again after a commit that may have changed it.
import { createHash } from 'node:crypto'
import type { Changes } from '../../commits.ts'
import type { Db } from '../../database/database.ts'
import { shadesOf, stylesheetOf } from '../../shared/colours/accent.ts'
import { ownThemeColours, type Brand, type BrandPicture } from '../../site/brand.ts'
import { readChosen, type Chosen, type StoredPicture } from './chosen.ts'

export interface Stylesheet {
  readonly path: string
  readonly text: string
}

/** Its address is a hash of its text: another version of Waymark may derive other shades, and then has another address. */
function stylesheetFor(accent: string): Stylesheet {
  const text = stylesheetOf(accent)
  const hash = createHash('sha256').update(text).digest('hex')
  return { path: `/brand/${hash}.css`, text }
}

export const pathOf = (hash: string): string => `/brand/${hash}.png`

const pictureOf = ({ hash, width, height }: StoredPicture): BrandPicture => ({
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

  // A new choice touches every tag, so no tag of its own is needed.
  const isCurrent = (): boolean => changes.isUnchangedSince(since, [])

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
    /** Wait for this before making anything that is kept; undefined if the copy is current. */
    follow: (): Promise<void> | undefined => (isCurrent() ? undefined : catchUp()),
    /** Starts to read the look if it may have changed. If it cannot be read, the copy stays as it is. */
    notice: (): void => {
      if (!isCurrent()) void catchUp().catch(() => undefined)
    },
    /** The present look, also outside of requests, where nobody has checked the copy before. */
    present: async (): Promise<Brand> => {
      changes.look()
      if (!isCurrent()) await catchUp()
      return look.brand
    },
  }
}

export type LiveBrand = Awaited<ReturnType<typeof createLiveBrand>>
