// The limits that an image is held to: from the settings for the server, as the contract has them for tests.

export interface ImageLimits {
  /** Pixels of the longer side. */
  readonly longestSide: number
  readonly mostPixels: number
  /** Width × height × channels × bytes per sample, of all frames together. */
  readonly mostDecodedBytes: number
  readonly mostFrames: number
  /** Of all metadata of a file together; compressed metadata may also inflate to this much in all. */
  readonly mostMetadataBytes: number
  /** Of one compressed piece of metadata, inflated. */
  readonly mostInflatedBytes: number
}

/** The settings by the names that config.ts gives them. */
export interface ImageLimitSettings {
  readonly longestImageSide: number
  readonly mostImageMegapixels: number
  readonly mostDecodedMegabytes: number
  readonly mostImageFrames: number
  readonly mostMetadataBytes: number
  readonly mostInflatedMetadataBytes: number
}

const million = 1_000_000

export function imageLimitsFrom(settings: ImageLimitSettings): ImageLimits {
  return {
    longestSide: settings.longestImageSide,
    mostPixels: settings.mostImageMegapixels * million,
    mostDecodedBytes: settings.mostDecodedMegabytes * million,
    mostFrames: settings.mostImageFrames,
    mostMetadataBytes: settings.mostMetadataBytes,
    mostInflatedBytes: settings.mostInflatedMetadataBytes,
  }
}

/** Contract C15. MB are 10^6 here: 100 megapixels of 8-bit RGBA are just allowed. */
export const standardLimits: ImageLimits = {
  longestSide: 16_384,
  mostPixels: 100 * million,
  mostDecodedBytes: 400 * million,
  mostFrames: 1_000,
  mostMetadataBytes: 1_048_576,
  mostInflatedBytes: 262_144,
}
