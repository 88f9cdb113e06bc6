// A trail as KML 2.2: one Placemark with its line, clamped to the ground, and the elevations if they are known.
import { countOf, type Line } from '../shared/geo/points.ts'
import { inChunks } from '../shared/text/text-chunks.ts'
import { escapeText } from '../shared/xml/xml.ts'

export interface WrittenKml {
  readonly name: string
  readonly description: string
  readonly lines: readonly Line[]
}

function* coordinatesOf({ points, first, end }: Line): Generator<string, void> {
  for (let index = first; index < end; index += 1) {
    const place = `${index === first ? '' : ' '}${points.lon(index)},${points.lat(index)}`
    const height = points.ele(index)
    yield Number.isNaN(height) ? place : `${place},${height}`
  }
}

function* lineTexts(line: Line): Generator<string, void> {
  yield '<LineString><tessellate>1</tessellate><coordinates>'
  yield* coordinatesOf(line)
  yield '</coordinates></LineString>\n'
}

function* textsOf({ name, description, lines }: WrittenKml): Generator<string, void> {
  const drawn = lines.filter((line) => countOf(line) >= 2)
  const title = `<name>${escapeText(name)}</name>`
  const described = description === '' ? '' : `<description>${escapeText(description)}</description>`
  yield `<?xml version="1.0" encoding="UTF-8"?>\n<kml xmlns="http://www.opengis.net/kml/2.2">\n<Document>${title}\n`
  yield `<Placemark>${title}${described}\n`
  if (drawn.length > 1) yield '<MultiGeometry>\n'
  for (const line of drawn) yield* lineTexts(line)
  if (drawn.length > 1) yield '</MultiGeometry>\n'
  yield '</Placemark>\n</Document>\n</kml>\n'
}

/** In chunks of about 32 KiB. */
export const writeKml = (written: WrittenKml): Generator<string, void> => inChunks(textsOf(written))
