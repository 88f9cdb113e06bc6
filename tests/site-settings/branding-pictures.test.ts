// The logo and the icon of the site: drawn anew of what is sent, kept in the database, and never anything that could run.
import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { after, test } from 'node:test'
import sharp from 'sharp'
import { assertProblem } from '../helpers/problems.ts'
import { gifPicture, jpegPicture, pngPicture, webpPicture } from '../helpers/pictures.ts'
import { makeTinyApp } from '../helpers/tiny-app.ts'
import { addSignedIn } from '../helpers/visitor.ts'
import { startWaymark } from '../helpers/waymark.ts'
import type { SiteInfo } from '../../src/shared/v2/site-schemas.ts'
import { putPicture, setPicture, textAt, transparentLogo } from './branding-helpers.ts'

const webFolder = await makeTinyApp()
const waymark = await startWaymark({ webFolder, environment: { WEB_APP: 'on' } })
after(async () => {
  await waymark.close()
  await rm(webFolder, { recursive: true })
})
const admin = await addSignedIn(waymark, 'admin')

const pathOf = (address: string | null): string => new URL(address ?? 'about:blank').pathname
const kept = async (): Promise<number> => {
  const { db } = waymark.installation.database
  const { count } = await db
    .selectFrom('brand_file')
    .select(({ fn }) => fn.countAll().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}
async function pictureAt(path: string) {
  const answer = await waymark.fetch(path)
  assert.equal(answer.status, 200, path)
  const bytes = Buffer.from(await answer.arrayBuffer())
  return { answer, bytes, ...(await sharp(bytes).metadata()) }
}
const iconPaths = (text: string): string[] =>
  [...text.matchAll(/<link rel="icon" [^>]*href="([^"]+)"/g)].map(([, path = '']) => path)
async function manifestIcons(): Promise<{ src: string; sizes: string; type: string }[]> {
  const { icons } = (await (await waymark.fetch('/manifest.webmanifest')).json()) as {
    icons: { src: string; sizes: string; type: string }[]
  }
  return icons
}

void test('a logo is redrawn as a PNG, keeps its transparency, and is shown on every page', async () => {
  const chosen = await setPicture(waymark, admin, { bytes: await transparentLogo(600, 200) })
  const path = pathOf(chosen.logo)
  const { answer, format, width, height, hasAlpha } = await pictureAt(path)
  assert.deepEqual([format, width, height, hasAlpha], ['png', 384, 128, true])
  assert.equal(answer.headers.get('content-type'), 'image/png')
  assert.equal(answer.headers.get('cache-control'), 'public, max-age=31536000, immutable')
  assert.equal(answer.headers.get('content-security-policy'), "default-src 'none'; sandbox")
  assert.equal(answer.headers.get('x-content-type-options'), 'nosniff')
  const page = await textAt(waymark, '/sign-in')
  assert.match(
    page,
    new RegExp(`<img\\s+class="logo"\\s+src="${path}"\\s+width="384"\\s+height="128"\\s+alt="Waymark"`),
  )
  assert.doesNotMatch(page, /<svg class="logo"|<span>Waymark<\/span>/)
  const { branding } = (await (await waymark.fetch('/v2/site')).json()) as SiteInfo
  assert.deepEqual([branding.logo, branding.logoRatio], [chosen.logo, 3])
  assert.equal(iconPaths(page).length, 2, 'a site without a favicon shows its logo')
  const again = await pictureAt(path)
  assert.deepEqual(again.bytes, (await pictureAt(path)).bytes, 'also from memory')
})

void test('a logo that is not wider than it is high is shown beside the name', async () => {
  await setPicture(waymark, admin, { bytes: await transparentLogo(64, 64) })
  const page = await textAt(waymark, '/sign-in')
  assert.match(page, /width="64"\s+height="64"\s+alt=""/)
  assert.match(page, /<span>Waymark<\/span>/)
})

void test('a favicon is drawn in three sizes, for tabs and home screens, whatever its shape', async () => {
  const { favicon } = await setPicture(waymark, admin, {
    name: 'favicon',
    bytes: await transparentLogo(60, 30),
  })
  assert.notEqual(favicon, null)
  const page = await textAt(waymark, '/')
  const sides = await Promise.all(
    iconPaths(page).map(async (path) => {
      const { format, width, height } = await pictureAt(path)
      return `${format} ${width}×${height}`
    }),
  )
  assert.deepEqual(sides, ['png 48×48', 'png 192×192'])
  const icons = await manifestIcons()
  assert.deepEqual(
    icons.map(({ sizes, type }) => `${sizes} ${type}`),
    ['192x192 image/png', '512x512 image/png'],
  )
  assert.equal((await pictureAt(icons[1]?.src ?? '')).width, 512)
})

void test('JPEG and WebP are accepted too, rotated upright and without their metadata', async () => {
  const turned = await sharp(await jpegPicture({ width: 80, height: 40 }))
    .withExif({ IFD0: { Copyright: 'secret words' } })
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer()
  const { logo } = await setPicture(waymark, admin, { type: 'image/jpeg', bytes: turned })
  const { width, height, bytes, exif, icc } = await pictureAt(pathOf(logo))
  assert.deepEqual([width, height, exif, icc], [40, 80, undefined, undefined])
  assert.equal(bytes.includes('secret words'), false)
  const webp = await webpPicture({ width: 200, height: 50 })
  const second = await setPicture(waymark, admin, { type: 'image/webp', bytes: webp })
  assert.equal((await pictureAt(pathOf(second.logo))).width, 200)
})

void test('a replaced or removed picture is gone, and Waymark’s own is used instead', async () => {
  const first = await setPicture(waymark, admin, { bytes: await transparentLogo(100, 40) })
  assert.equal((await waymark.fetch(pathOf(first.logo))).status, 200)
  const second = await setPicture(waymark, admin, { bytes: await transparentLogo(100, 50) })
  assert.equal((await waymark.fetch(pathOf(first.logo))).status, 404, 'also in memory')
  assert.notEqual(second.logo, first.logo)
  for (const name of ['logo', 'favicon'])
    assert.equal((await admin.call('DELETE', `/v2/admin/branding/${name}`)).status, 200)
  assert.equal(await kept(), 0)
  const page = await textAt(waymark, '/sign-in')
  assert.match(page, /<svg class="logo"/)
  assert.match(page, /<link rel="icon" type="image\/svg\+xml"/)
})

void test('saving name, colour and footer keeps the pictures, and the other way round', async () => {
  const bytes = await transparentLogo(100, 40)
  const { logo } = await setPicture(waymark, admin, { bytes })
  const wanted = { name: 'Ridge', accent: '#8a2be2', footer: { text: 'x', links: [] } }
  const chosen = await admin.call('PUT', '/v2/admin/branding', wanted)
  assert.equal((JSON.parse(chosen.text) as { logo: string }).logo, logo)
  const after = await setPicture(waymark, admin, { name: 'favicon', bytes })
  assert.deepEqual([after.name, after.accent, after.logo], ['Ridge', '#8a2be2', logo])
})

const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9" onload="alert(1)"><script>alert(1)</script></svg>`

void test('a picture sent with an outdated If-Match is refused before it is read', async () => {
  const etag = (await admin.call('GET', '/v2/admin/branding')).headers.get('etag') ?? ''
  const bytes = await transparentLogo(40, 40)
  assert.equal((await putPicture(waymark, admin, { bytes, headers: { 'if-match': etag } })).status, 200)
  const late = { type: 'text/plain', bytes: Buffer.from('late'), headers: { 'if-match': etag } }
  // The format is judged first of the two (C31).
  assert.equal((await putPicture(waymark, admin, late)).status, 415)
  assert.equal((await putPicture(waymark, admin, { ...late, type: 'image/png' })).status, 412)
  const removed = await admin.call('DELETE', '/v2/admin/branding/logo')
  assert.equal(removed.status, 200)
})

void test('drawings and other types are refused in one sentence, by declared type and by bytes', async () => {
  const before = await kept()
  const sentence = 'The picture must be a PNG, JPEG or WebP; save a drawing (SVG) as a PNG first.'
  const png = await pngPicture({ width: 20, height: 20 })
  for (const type of [
    'image/svg+xml',
    'image/gif',
    'text/html',
    'application/json',
    'image/png+xml',
    'image',
  ]) {
    const refused = await putPicture(waymark, admin, { type, bytes: png })
    assert.equal(refused.status, 415, type)
    await refused.body?.cancel()
  }
  const gif = await gifPicture({ width: 20, height: 20 })
  const wrong = [
    Buffer.from(svg),
    Buffer.from(`<?xml version="1.0"?>${svg}`),
    gif,
    Buffer.from('BM'),
    Buffer.alloc(0),
  ]
  for (const bytes of wrong) {
    const answer = await putPicture(waymark, admin, { bytes })
    const { detail } = await assertProblem(answer, 'unsupported-image-type', bytes.toString().slice(0, 20))
    assert.equal(detail, sentence)
  }
  assert.equal(await kept(), before, 'nothing is kept')
})

void test('hostile pictures are refused, and bytes after a picture are not stored', async () => {
  const png = await pngPicture({ width: 40, height: 40 })
  const large = await sharp({ create: { width: 5_000, height: 4_000, channels: 3, background: '#123456' } })
    .png({ palette: true, compressionLevel: 9 })
    .toBuffer()
  assert.ok(large.length < 256 * 1024, 'few bytes, many pixels')
  await assertProblem(await putPicture(waymark, admin, { bytes: large }), 'image-dimensions-too-large')
  await assertProblem(
    await putPicture(waymark, admin, { bytes: png.subarray(0, png.length / 2) }),
    'broken-image',
  )
  const lying = Buffer.from(png)
  lying.writeUInt32BE(60_000, 16)
  await assertProblem(await putPicture(waymark, admin, { bytes: lying }), 'broken-image')
  const tooMuch = Buffer.concat([png, Buffer.alloc(256 * 1024)])
  await assertProblem(await putPicture(waymark, admin, { bytes: tooMuch }), 'body-too-large')
  const forIcon = Buffer.concat([png, Buffer.alloc(64 * 1024)])
  await assertProblem(await putPicture(waymark, admin, { name: 'favicon', bytes: forIcon }), 'body-too-large')
  const answer = await putPicture(waymark, admin, { bytes: Buffer.concat([png, Buffer.from(svg)]) })
  assert.equal(answer.status, 200)
  const { logo } = (await answer.json()) as { logo: string }
  assert.equal((await pictureAt(pathOf(logo))).bytes.includes('script'), false)
})

void test('a picture of noise is stored in at most 264 kB', async () => {
  const noise = sharp({
    create: {
      width: 300,
      height: 270,
      channels: 3,
      background: '#000000',
      noise: { type: 'gaussian', mean: 128, sigma: 90 },
    },
  })
  const bytes = await noise.jpeg({ quality: 90 }).toBuffer()
  assert.ok(bytes.length < 256 * 1024)
  await setPicture(waymark, admin, { type: 'image/jpeg', bytes })
  const { db } = waymark.installation.database
  const rows = await db.selectFrom('brand_file').select('bytes').execute()
  for (const row of rows) assert.ok(row.bytes.length <= 264_000, String(row.bytes.length))
})

void test('only the pictures and the stylesheet are served there', async () => {
  const { logo } = await setPicture(waymark, admin, { bytes: await transparentLogo(100, 40) })
  const path = pathOf(logo)
  for (const wrong of [
    path.replace('.png', '.svg'),
    path.replace('.png', '.css'),
    path.replace('.png', ''),
    path.toUpperCase().replace('/BRAND/', '/brand/'),
    `${path}/x`,
    '/brand/',
    '/brand/..%2fassets%2fwaymark.css',
    `/brand/${'0'.repeat(64)}.png`,
  ])
    assert.equal((await waymark.fetch(wrong)).status, 404, wrong)
})
