// Who sees when a photo was taken, and who may filter by it: each surface, viewer and setting (contract C43, C44).
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { TakenAtSetting } from '../../../src/auth/guard.ts'
import type { Image } from '../../../src/shared/v2/schemas.ts'
import { ascii, buildTiff, exifSegment, gpsEntries, insertSegments } from '../../helpers/exif-fixtures.ts'
import { rationals, tags } from '../../helpers/exif-fixtures.ts'
import { jpegPicture } from '../../helpers/pictures.ts'
import { assertProblem } from '../../helpers/problems.ts'
import { startWaymark } from '../../helpers/waymark.ts'
import { readAs, type Page } from '../image-client.ts'

const trailId = 4711

async function start(t: TestContext, takenAt: TakenAtSetting) {
  const waymark = await startWaymark({ environment: { TAKEN_AT: takenAt } })
  t.after(() => waymark.close())
  await waymark.addTrail(trailId, 'Rim Trail')
  await waymark.addTrail(4712, 'Lake Trail')
  const ana = await waymark.addPerson({ name: 'Ana' })
  const bea = await waymark.addPerson({ name: 'Bea' })
  const rob = await waymark.addPerson({ name: 'Rob', role: 'reviewer' })
  const key = await waymark.addKey(ana.accountId)
  const readOnly = await waymark.tokenFor(rob.accountId, 'images:read')
  const photos: number[] = []
  for (const [index, day] of ['2026:05:14', '2026:05:15'].entries()) {
    const picture = await jpegPicture({ width: 12, height: 9, seed: index })
    const tiff = buildTiff({
      exif: [ascii(tags.takenAt, `${day} 23:08:07`), ascii(tags.offset, '+02:00')],
      gps: [
        ...gpsEntries(47.37, 8.54),
        rationals(tags.accuracy, [9, 2]),
        rationals(tags.direction, [181, 2]),
        rationals(tags.altitude, [400, 1]),
      ],
    })
    const imageId = await waymark.upload(
      index === 0 ? ana : bea,
      trailId,
      insertSegments(picture, [exifSegment(tiff)]),
    )
    assert.equal((await waymark.review(rob, imageId, 'approve')).status, 200)
    photos.push(imageId)
  }
  const [photo = 0, other = 0] = photos
  const viewers = {
    submitter: { token: ana.token },
    stranger: { token: bea.token },
    reviewer: { token: rob.token },
    'a reviewer without the scope': { token: readOnly },
    key: { headers: { 'x-api-key': key } },
  } as const
  return { waymark, photo, other, viewers }
}

const open = { takenAtZone: 'stated', positionSource: 'exif', altitude: 400 }
const day = { takenOn: '2026-05-14', takenAt: null, positionAccuracy: null, direction: null }
const exact = {
  takenOn: '2026-05-14',
  takenAt: '2026-05-14T23:08:07+02:00',
  positionAccuracy: 4.5,
  direction: 90.5,
}
const hidden = { ...day, takenOn: null }

const shownTo: Readonly<Record<TakenAtSetting, object>> = { day, exact, hidden }
const insiders: ReadonlySet<string> = new Set(['submitter', 'reviewer'])

type Captured = Pick<
  Image,
  | 'takenAtZone'
  | 'positionSource'
  | 'altitude'
  | 'takenOn'
  | 'takenAt'
  | 'positionAccuracy'
  | 'direction'
  | 'imageID'
>
const capturedOf = (image: Captured | undefined) => ({
  takenAtZone: image?.takenAtZone,
  positionSource: image?.positionSource,
  altitude: image?.altitude,
  takenOn: image?.takenOn,
  takenAt: image?.takenAt,
  positionAccuracy: image?.positionAccuracy,
  direction: image?.direction,
})

interface Features {
  readonly features: readonly { readonly properties: Captured }[]
}

for (const setting of ['day', 'exact', 'hidden'] as const)
  void test(`C43: TAKEN_AT=${setting}`, async (t) => {
    const { waymark, photo, other, viewers } = await start(t, setting)
    // Twice: one viewer's response is cached when the next one asks.
    for (const round of ['first', 'again'])
      for (const [name, viewer] of Object.entries(viewers)) {
        const expected = { ...open, ...(insiders.has(name) ? exact : shownTo[setting]) }
        const what = `${name}, ${round}`
        const one = await readAs<Image>(await waymark.fetch(`/v2/images/${photo}`, viewer))
        assert.deepEqual(capturedOf(one), expected, `${what}: the image`)
        const list = `/v2/trails/${trailId}/images`
        const { items } = await readAs<Page<Image>>(await waymark.fetch(list, viewer))
        assert.deepEqual(
          capturedOf(items.find(({ imageID }) => imageID === photo)),
          expected,
          `${what}: the list`,
        )
        const geo = await readAs<Features>(await waymark.fetch(`${list}.geojson`, viewer))
        const found = geo.features.find(({ properties }) => properties.imageID === photo)
        assert.deepEqual(capturedOf(found?.properties), expected, `${what}: GeoJSON`)

        const idsOn = async (query: string): Promise<number[][]> => {
          const page = await readAs<Page<Image>>(await waymark.fetch(`${list}?${query}`, viewer))
          const features = await readAs<Features>(await waymark.fetch(`${list}.geojson?${query}`, viewer))
          return [
            page.items.map(({ imageID }) => imageID),
            features.features.map(({ properties }) => properties.imageID),
          ]
        }
        const isAll = setting !== 'hidden' || name === 'reviewer'
        const ofSubmitter = isAll || name === 'submitter' ? [photo] : []
        const ofStranger = isAll || name === 'stranger' ? [other] : []
        const both = [...ofSubmitter, ...ofStranger]
        assert.deepEqual(await idsOn('takenFrom=2026-05-14'), [both, both], what)
        assert.deepEqual(await idsOn('takenFrom=2026-05-15'), [ofStranger, ofStranger], what)
        assert.deepEqual(await idsOn('takenTo=2026-05-14'), [ofSubmitter, ofSubmitter], what)
        assert.deepEqual(
          await idsOn('takenFrom=2026-05-14&takenTo=2026-05-14'),
          [ofSubmitter, ofSubmitter],
          what,
        )
        assert.deepEqual(await idsOn('takenFrom=2026-05-16'), [[], []], what)
      }
    const own = async (viewer: object, query: string): Promise<number[]> =>
      (await readAs<Page<Image>>(await waymark.fetch(`/v2/images?${query}`, viewer))).items.map(
        ({ imageID }) => imageID,
      )
    assert.deepEqual(await own(viewers.submitter, 'takenTo=2026-05-14'), [photo])
    assert.deepEqual(await own(viewers.submitter, 'takenFrom=2026-05-15'), [])
    assert.deepEqual(await own(viewers.reviewer, 'takenFrom=2026-05-15'), [other])
    for (const query of ['takenFrom=2026-02-30', 'takenTo=14.05.2026', 'takenFrom=2026-05-14T00:00:00Z'])
      for (const path of [
        '/v2/images',
        `/v2/trails/${trailId}/images`,
        `/v2/trails/${trailId}/images.geojson`,
      ])
        await assertProblem(await waymark.fetch(`${path}?${query}`, viewers.submitter), 'invalid-query')
  })
