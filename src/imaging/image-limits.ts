// The limits for images: from the settings for the server, those of the contract for tests.

export interface ImageLimits {
  /** Pixels of the longer side. */
  readonly maxSide: number
  readonly maxPixels: number
  /** Width × height × channels × bytes per sample, of all frames together. */
  readonly maxDecodedBytes: number
  readonly maxFrames: number
  /** Of all metadata of a file together; compressed metadata may also inflate to this much in total. */
  readonly maxMetadataBytes: number
  /** Of one compressed block of metadata, inflated. */
  readonly maxInflatedBytes: number
}

/** The settings by the names that config.ts gives them. */
export interface ImageLimitSettings {
  readonly maxImageSide: number
  readonly maxImageMegapixels: number
  readonly maxDecodedMegabytes: number
  readonly maxImageFrames: number
  readonly maxMetadataBytes: number
  readonly maxInflatedMetadataBytes: number
}

const million = 1_000_000

export function imageLimitsFrom(settings: ImageLimitSettings): ImageLimits {
  return {
    maxSide: settings.maxImageSide,
    maxPixels: settings.maxImageMegapixels * million,
    maxDecodedBytes: settings.maxDecodedMegabytes * million,
    maxFrames: settings.maxImageFrames,
    maxMetadataBytes: settings.maxMetadataBytes,
    maxInflatedBytes: settings.maxInflatedMetadataBytes,
  }
}

/** Contract C15. MB are 10^6 here: 100 megapixels of 8-bit RGBA are just allowed. */
export const standardLimits: ImageLimits = {
  maxSide: 16_384,
  maxPixels: 100 * million,
  maxDecodedBytes: 400 * million,
  maxFrames: 1_000,
  maxMetadataBytes: 1_048_576,
  maxInflatedBytes: 262_144,
}
