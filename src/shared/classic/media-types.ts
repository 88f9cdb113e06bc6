// The media types of the classic surface, as tables: images, what an upload may declare, body formats.

/** The types of image that are stored, by their bytes (C15), and how each is called on the wire. */
export const imageMimeTypes = {
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  png: 'image/png',
  bmp: 'image/bmp',
} as const

export type ImageType = keyof typeof imageMimeTypes
export type ImageMimeType = (typeof imageMimeTypes)[ImageType]

export function mimeTypeOf(type: ImageType): ImageMimeType {
  return imageMimeTypes[type]
}

/** The image type of a MIME type as we write it; aliases are not among them. */
export function imageTypeOf(mimeType: string): ImageType | undefined {
  const types = Object.keys(imageMimeTypes) as ImageType[]
  return types.find((type) => imageMimeTypes[type] === mimeType)
}

const acceptableTypes: ReadonlySet<string> = new Set([
  ...Object.values(imageMimeTypes),
  'image/jpg',
  'image/pjpeg',
  'image/x-png',
  'image/x-ms-bmp',
  'image/x-bmp',
  'application/octet-stream',
])

/**
 * What the Content-Type of an upload (without parameters) says, before a byte is read. The list is closed:
 * another image type, a document, multipart and the form type that curl adds by itself are all
 * "not-an-image". Which of the four types it is, the bytes alone decide.
 */
export function judgeDeclaredType(essence: string | undefined): 'acceptable' | 'not-an-image' {
  if (essence === undefined || essence === '') return 'acceptable'
  return acceptableTypes.has(essence.toLowerCase()) ? 'acceptable' : 'not-an-image'
}

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
