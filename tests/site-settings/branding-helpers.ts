// A site whose look is chosen: the admin's calls, and the pages that show it.
import assert from 'node:assert/strict'
import sharp from 'sharp'
import type { Branding, NewBranding } from '../../src/shared/v2/branding-schemas.ts'
import type { Member } from '../helpers/visitor.ts'
import type { Waymark } from '../helpers/waymark.ts'

export const plain: NewBranding = { name: null, accent: null, footer: { text: '', links: [] } }

export const ridge: NewBranding = {
  name: 'Ridge & Co',
  accent: '#8a2be2',
  footer: {
    text: 'The club of the ridge.',
    links: [
      { label: 'Imprint', url: 'https://club.example/imprint' },
      { label: 'Write to us', url: 'mailto:club@club.example' },
      { label: 'Trails', url: '/trails' },
    ],
  },
}

export async function choose(admin: Member, wanted: unknown, headers = {}): Promise<Branding> {
  const answer = await admin.call('PUT', '/v2/admin/branding', wanted, headers)
  assert.equal(answer.status, 200, answer.text)
  return JSON.parse(answer.text) as Branding
}

export interface SentPicture {
  readonly name?: 'logo' | 'favicon'
  readonly type?: string
  readonly bytes: Uint8Array
  readonly headers?: Record<string, string>
}

/** As a script of the site's own page sends it. */
export async function putPicture(
  waymark: Waymark,
  admin: Member,
  { name = 'logo', type = 'image/png', bytes, headers = {} }: SentPicture,
): Promise<Response> {
  const { publicUrl } = waymark.installation.config
  return waymark.fetch(`/v2/admin/branding/${name}`, {
    method: 'PUT',
    body: bytes as Uint8Array<ArrayBuffer>,
    headers: {
      ...headers,
      'content-type': type,
      'sec-fetch-site': 'same-origin',
      origin: new URL(publicUrl).origin,
      cookie: [...admin.jar].map(([key, value]) => `${key}=${value}`).join('; '),
    },
  })
}

export async function setPicture(waymark: Waymark, admin: Member, sent: SentPicture): Promise<Branding> {
  const answer = await putPicture(waymark, admin, sent)
  const text = await answer.text()
  assert.equal(answer.status, 200, text)
  return JSON.parse(text) as Branding
}

/** A ring on nothing, so that what is transparent shows. */
export const transparentLogo = (width: number, height: number): Promise<Buffer> =>
  sharp({ create: { width, height, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 0 } } })
    .composite([
      {
        input: {
          create: {
            width: Math.ceil(width / 2),
            height: Math.ceil(height / 2),
            channels: 4,
            background: '#8a2be2',
          },
        },
      },
    ])
    .png()
    .toBuffer()

export async function textAt(
  waymark: Waymark,
  path: string,
  headers: Record<string, string> = {},
): Promise<string> {
  return (
    await waymark.fetch(path, { headers: { accept: 'text/html', 'sec-fetch-dest': 'document', ...headers } })
  ).text()
}
