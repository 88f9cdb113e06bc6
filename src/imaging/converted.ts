// What the walks of HEIC, AVIF and WebP tell, and what they hand on: none of these is served as it came (contract C55).
import { damaged, type Header } from './container-parts.ts'
import type { ColourSpace } from './colour-space.ts'
import type { ConvertedFormat } from '../shared/formats/converted-formats.ts'
import type { MetadataBlock } from '../shared/formats/metadata-block.ts'

/** The first picture of a file whose structure was walked to its end. */
export interface WalkedPicture extends Header {
  readonly format: ConvertedFormat
  /** Whether any pixel can be transparent. */
  readonly hasAlpha: boolean
  /** What the colours are, where no profile says so and it is not sRGB. */
  readonly colourSpace?: ColourSpace | undefined
  /** Only what colour needs of it. */
  readonly profile?: Uint8Array | undefined
  readonly metadata: readonly MetadataBlock[]
  /**
   * A file of our own making of what the decoder needs, which turns it upright: no decoder meets what a stranger wrote
   * beside the first picture.
   */
  readonly file: Uint8Array
}

export function truncated(what: string): never {
  throw damaged(`The file is truncated within ${what}.`)
}
