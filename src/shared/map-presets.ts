// Online maps that are offered by name: styles that any site may use, without a key and without an account.

export interface MapPreset {
  /** As its maker writes it. */
  readonly name: string
  readonly url: string
  /** Who learns where visitors look. */
  readonly provider: string
}

export const mapPresets: readonly MapPreset[] = ['Liberty', 'Bright', 'Positron'].map((style) => ({
  name: `OpenFreeMap ${style}`,
  url: `https://tiles.openfreemap.org/styles/${style.toLowerCase()}`,
  provider: 'OpenFreeMap',
}))
