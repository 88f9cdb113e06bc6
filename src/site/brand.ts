// The name and look of a site: those that its admins chose, or Waymark's own.

export interface BrandPicture {
  /** Below PUBLIC_URL. */
  readonly path: string
  readonly width: number
  readonly height: number
}

export interface BrandLink {
  readonly label: string
  /** https, http or mailto, or a path of ours (shared/brand-links.ts). */
  readonly url: string
}

export interface Brand {
  readonly name: string
  /** Undefined for our own drawing. */
  readonly logo: BrandPicture | undefined
  /** Squares, from the smallest; none for our own drawing. */
  readonly icons: readonly BrandPicture[]
  /** The chosen `#rrggbb`; undefined for the palette of waymark.css. */
  readonly accent: string | undefined
  /** Path of what sets the colours of the accent. */
  readonly stylesheet: string | undefined
  /** What browsers paint their own bars in. */
  readonly themeColours: { readonly light: string; readonly dark: string }
  readonly footer: { readonly text: string; readonly links: BrandLink[] }
}

/** Whether this node's copy of the brand is current: another node may have changed it. */
export interface BrandFreshness {
  readonly isPresent: () => boolean
  /** Undefined if there is none. */
  readonly follow: () => Promise<void> | undefined
}

export const alwaysFresh: BrandFreshness = { isPresent: () => true, follow: () => undefined }

/** The accent of waymark.css, and the surface of its dark masthead. */
export const ownThemeColours = { light: '#1d6546', dark: '#1b2320' } as const

/** For a site that has only chosen a name. */
export const plainBrand = (name: string): Brand => ({
  name,
  logo: undefined,
  icons: [],
  accent: undefined,
  stylesheet: undefined,
  themeColours: ownThemeColours,
  footer: { text: '', links: [] },
})
