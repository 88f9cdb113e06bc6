// GET /v2/site, and the gallery's requests about trails: what the web app knows before it shows anything.
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { SiteInfo } from '../../src/shared/v2/site-schemas.ts'
import { parentOfFolders } from '../helpers/folders.ts'
import { jpegPicture } from '../helpers/pictures.ts'
import { addSignedIn } from '../helpers/visitor.ts'
import { startWaymark, type Person, type Waymark } from '../helpers/waymark.ts'

void describe('GET /v2/site', () => {
  let waymark: Waymark
  let folder: string

  before(async () => {
    folder = await mkdtemp(path.join(parentOfFolders(), 'waymark-map-'))
    await writeFile(path.join(folder, 'base.pmtiles'), 'PMTiles and so on')
    waymark = await startWaymark({
      version: '1.2.3',
      environment: {
        SITE_NAME: 'Ridge Trail Photos',
        SIGN_UP: 'open',
        EDITED_PHOTOS: 'require-review',
        MAX_IMAGE_BYTES: '1000000',
        MAP_PMTILES: path.join(folder, 'base.pmtiles'),
        MAP_STYLE_URL: 'https://tiles.example/style.json',
      },
    })
  })
  after(async () => {
    await waymark.close()
    await rm(folder, { recursive: true })
  })

  async function site(headers: Record<string, string> = {}): Promise<SiteInfo> {
    const answer = await waymark.fetch('/v2/site', { headers })
    assert.equal(answer.status, 200)
    assert.equal(answer.headers.get('cache-control'), 'private, no-store')
    return (await answer.json()) as SiteInfo
  }

  it('returns to everyone what the site is and offers', async () => {
    const { map, ...reported } = await site()
    assert.deepEqual(reported, {
      name: 'Ridge Trail Photos',
      version: '1.2.3',
      publicUrl: 'https://trails.example',
      signUp: 'open',
      canMail: false,
      hasPasskeys: true,
      maxImageBytes: 1_000_000,
      edits: 'pend',
      imageHandlerUrl: 'https://trails.example/ImageHandler',
      viewer: null,
      licence: null,
      termsVersion: null,
      branding: { logo: null, logoRatio: null, accent: null, footer: { text: '', links: [] } },
    })
    assert.equal(map.styleUrl, 'https://tiles.example/style.json')
    assert.match(map.pmtiles ?? '', /^https:\/\/trails\.example\/map\/base\.pmtiles\?v=[\w-]+$/)
  })

  it('returns the viewer for a session from our own pages and for a token, and otherwise none', async () => {
    const admin = await addSignedIn(waymark, 'admin')
    const { db } = waymark.installation.database
    await waymark.addTrail(7, 'Rim Trail')
    const reviewer = await waymark.addPerson({ role: 'reviewer', name: 'Rob' })
    await db.insertInto('account_trail').values({ account_id: reviewer.accountId, trail_id: 7 }).execute()
    const cookie = [...admin.jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const { viewer } = await site({ cookie, 'x-waymark-page': '1' })
    assert.deepEqual([viewer?.acctID, viewer?.role, viewer?.trails], [admin.accountId, 'admin', null])
    assert.equal((await site({ cookie, 'sec-fetch-site': 'cross-site' })).viewer, null)
    assert.equal((await site({ cookie: '__Host-waymark=ended', 'x-waymark-page': '1' })).viewer, null)
    assert.deepEqual((await site({ authorization: `Bearer ${reviewer.token}` })).viewer, {
      acctID: reviewer.accountId,
      displayName: 'Rob',
      role: 'reviewer',
      trails: [7],
    })
  })

  it('returns the same licence and terms as /v2/terms', async () => {
    const admin = await addSignedIn(waymark, 'admin')
    const terms = {
      licence: { code: 'CC-BY-4.0', name: 'Creative Commons Attribution', url: 'https://licence.example/' },
      terms: { text: 'Yours is what you upload.' },
    }
    const chosen = await admin.call('PUT', '/v2/admin/terms', terms)
    assert.equal(chosen.status, 200, chosen.text)
    const { licence, termsVersion } = await site()
    const reported = (await (await waymark.fetch('/v2/terms')).json()) as {
      licence: unknown
      version: string
    }
    assert.deepEqual([licence, termsVersion], [terms.licence, reported.version])
  })

  it('has no base map if the file is missing, and another address if the file changes', async () => {
    const file = path.join(folder, 'base.pmtiles')
    const before = (await site()).map.pmtiles
    await writeFile(file, 'PMTiles and something else')
    assert.notEqual((await site()).map.pmtiles, before)
    await rm(file)
    assert.equal((await site()).map.pmtiles, null)
  })
})

void describe('trails for the gallery', () => {
  let waymark: Waymark
  let reviewer: Person

  before(async () => {
    waymark = await startWaymark()
    reviewer = await waymark.addPerson({ role: 'reviewer' })
    await waymark.addTrail(7, 'Rim Trail', 'rim')
    await waymark.addTrail(8, 'Rim Trail North', 'rim-north')
  })
  after(() => waymark.close())

  async function listed(query: string): Promise<{ trailID: number; cover: number | null; images: number }[]> {
    const answer = await waymark.fetch(`/v2/trails${query}`, { token: reviewer.token })
    assert.equal(answer.status, 200)
    return ((await answer.json()) as { items: { trailID: number; cover: number | null; images: number }[] })
      .items
  }

  it('Part D: slug finds the one trail with exactly this slug', async () => {
    const idsOf = async (query: string) => (await listed(query)).map(({ trailID }) => trailID)
    assert.deepEqual(await idsOf('?slug=rim'), [7])
    assert.deepEqual(await idsOf('?slug=rim-north'), [8])
    assert.deepEqual(await idsOf('?slug=RIM'), [])
    assert.deepEqual(await idsOf('?slug=ri'), [])
    assert.deepEqual(await idsOf('?slug=rim&q=north'), [])
    assert.equal((await waymark.fetch('/v2/trails?slug=a&slug=b', { token: reviewer.token })).status, 400)
  })

  it('the cover is the newest listed image, whatever else was uploaded', async () => {
    const coverOf = async () => (await listed('?slug=rim')).map(({ cover, images }) => [cover, images])
    assert.deepEqual(await coverOf(), [[null, 0]])
    const uploads: number[] = []
    for (const width of [40, 41, 42, 43])
      uploads.push(await waymark.upload(reviewer, 7, await jpegPicture({ width })))
    const [first = 0, second = 0, third = 0] = uploads
    for (const id of [third, first, second]) await waymark.review(reviewer, id, 'approve')
    assert.deepEqual(await coverOf(), [[third, 3]])
    await waymark.review(reviewer, third, 'remove')
    assert.deepEqual(await coverOf(), [[second, 2]])
    const one = await waymark.fetch('/v2/trails/7', { token: reviewer.token })
    assert.equal(((await one.json()) as { cover: number }).cover, second)
  })
})
