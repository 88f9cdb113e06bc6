// The media types of the bodies of the classic surface.

/** The two formats of the classic surface. */
export type BodyFormat = 'json' | 'xml'

const bodyFormats: ReadonlyMap<string, BodyFormat> = new Map([
  ['application/json', 'json'],
  ['text/json', 'json'],
  ['application/xml', 'xml'],
  ['text/xml', 'xml'],
])

/**
 * The format of a body by its Content-Type (without parameters); undefined for anything else, no Content-Type
 * included (C6). A structured suffix of an application type tells the format too (RFC 6839):
 * application/vnd.example+json is JSON.
 */
export function bodyFormatOf(essence: string | undefined): BodyFormat | undefined {
  const name = essence?.toLowerCase() ?? ''
  const suffix = name.startsWith('application/') ? /\+(json|xml)$/.exec(name)?.[1] : undefined
  return bodyFormats.get(suffix === undefined ? name : `application/${suffix}`)
}
