// Labels on the map: which name of a feature is used, and which system font.
import type { ExpressionSpecification } from 'maplibre-gl'
import type { MapLook } from './look.ts'

/**
 * System fonts: without a glyph server, MapLibre draws the letters itself, and takes weight and slant from the first
 * name.
 */
export const fonts: Readonly<Record<'plain' | 'bold' | 'italic', string[]>> = {
  plain: ['sans-serif'],
  bold: ['bold', 'sans-serif'],
  italic: ['italic', 'sans-serif'],
}

/** In the user's language if the tile has it, otherwise in the local one. */
export const nameIn = ({ language }: Pick<MapLook, 'language'>): ExpressionSpecification => [
  'coalesce',
  ['get', `name:${language}`],
  ['get', 'name'],
  '',
]

const feetPerMetre = 1 / 0.3048

/** @param metres the value in a tile. */
export function heightText(
  metres: ExpressionSpecification,
  { units, language }: Pick<MapLook, 'units' | 'language'>,
): ExpressionSpecification {
  const isFeet = units === 'miles'
  const figure: ExpressionSpecification = isFeet ? ['*', metres, feetPerMetre] : metres
  return [
    'concat',
    // MapLibre treats zero fraction digits as the default, which is three.
    ['number-format', ['round', figure], { locale: language }],
    isFeet ? ' ft' : ' m',
  ]
}
