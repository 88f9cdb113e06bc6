// What the parsers of HEIC, AVIF and WebP return: none of these is served as uploaded (contract C55).
import { damaged, type Header } from './container-parts.ts'
import type { ColourSpace } from './colour-space.ts'
import type { ConvertedFormat } from '../shared/formats/converted-formats.ts'
import type { MetadataBlock } from '../shared/formats/metadata-block.ts'

/** The first picture of a file whose structure was parsed to its end. */
export interface WalkedPicture extends Header {
  readonly format: ConvertedFormat
  /** Whether any pixel can be transparent. */
  readonly hasAlpha: boolean
  /** The colours, if there is no profile and they are not sRGB. */
  readonly colourSpace?: ColourSpace | undefined
  /** Only what colour needs of it. */
  readonly profile?: Uint8Array | undefined
  readonly metadata: readonly MetadataBlock[]
  /** A new file with only what the decoder needs, which makes it upright: no decoder sees anything else of the upload. */
  readonly file: Uint8Array
}

export function truncated(what: string): never {
  throw damaged(`The file is truncated within ${what}.`)
}
