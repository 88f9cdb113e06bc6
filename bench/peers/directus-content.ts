// The data of Directus for the benchmark: a collection with the fields of our image details, rows, photos, and public
// read access.
import { trailImageDetails } from '../../src/shared/classic/classic-shapes.ts'

export const tokens = { admin: 'bench-admin-of-this-run', reader: 'bench-reader-of-this-run' } as const

/** Directus's policy for anonymous users; the id is the same in every installation. */
const publicPolicy = 'abf8a154-5b1c-4a46-ac9c-7300570f4f17'
const rowCount = 100
const boundary = 'waymark-bench-photo'

export const multipartType = `multipart/form-data; boundary=${boundary}`

/** A photo as the only file of a form. */
export function multipartOf(photo: Uint8Array): Uint8Array {
  const head = [
    `--${boundary}`,
    'Content-Disposition: form-data; name="file"; filename="photo.jpg"',
    'Content-Type: image/jpeg',
    '',
    '',
  ].join('\r\n')
  return Buffer.concat([Buffer.from(head), photo, Buffer.from(`\r\n--${boundary}--\r\n`)])
}

const numbers = new Set(['imageID', 'submitterAcctID', 'trailID'])

function typeOf(name: string): string {
  if (name === 'lat' || name === 'lon') return 'float'
  if (name === 'postDate') return 'timestamp'
  return numbers.has(name) ? 'integer' : 'string'
}

/** The fields of our JSON, with the matching Directus types. */
const fields = trailImageDetails.jsonFields.map(({ name }) => ({
  field: name,
  type: typeOf(name),
  schema: { is_primary_key: name === 'imageID' },
  meta: {},
}))

const rowOf = (index: number): Record<string, string | number> => ({
  caption: `Looking north from the ridge, an hour after sunrise, frame ${index}`,
  detailUrl: 'appalachian-trail',
  displayName: 'Hannah Ridge',
  imageID: 1_000 + index,
  lat: 44.2706 + index / 1_000,
  lon: -71.3033 - index / 1_000,
  mimeType: 'image/jpeg',
  postDate: new Date(Date.UTC(2026, 5, 1, 6, index)).toISOString(),
  submitterAcctID: 17,
  title: `Ridge at dawn ${index}`,
  trailID: 4711,
  trailName: 'Appalachian Trail',
})

/** @returns the ids of the photos, in order. Directus generates and caches their sizes on the first request. */
export async function fillDirectus(port: number, photos: readonly Uint8Array[]): Promise<readonly string[]> {
  const send = async (
    path: string,
    body: Uint8Array | string,
    type = 'application/json',
  ): Promise<string> => {
    const headers = { authorization: `Bearer ${tokens.admin}`, 'content-type': type }
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers, body })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`directus: POST ${path} was answered ${answer.status}: ${text}`)
    const { data } = JSON.parse(text) as { readonly data: { readonly id?: string } }
    return data.id ?? ''
  }
  const add = (path: string, value: unknown): Promise<string> => send(path, JSON.stringify(value))
  const allowReading = (policy: string, collection: string): Promise<string> =>
    add('/permissions', { policy, collection, action: 'read', fields: ['*'], permissions: {} })

  await add('/collections', { collection: 'images', schema: {}, meta: {}, fields })
  const rows = Array.from({ length: rowCount }, (_, index) => rowOf(index))
  await add('/items/images', rows)
  const policy = await add('/policies', { name: 'Reader', app_access: false, admin_access: false })
  await allowReading(policy, 'images')
  const reader = { email: 'reader@example.com', token: tokens.reader, policies: [{ policy }] }
  await add('/users', reader)
  await allowReading(publicPolicy, 'directus_files')
  const ids: string[] = []
  for (const photo of photos) ids.push(await send('/files', multipartOf(photo), multipartType))
  return ids
}
