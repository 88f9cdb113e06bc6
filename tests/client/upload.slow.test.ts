// Uploads with the SDK to a real server: details, progress, cancellation, and files that are too large.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { isWaymarkProblem, type Progress, type Waymark as Sdk } from '../../client/client.ts'
import { jpegPicture, pngPicture } from '../helpers/pictures.ts'
import { startWaymark, type Person, type Waymark } from '../helpers/waymark.ts'
import { impatient, startBadLine, type BadLine } from './bad-line.ts'

let site: Waymark
let line: BadLine
let person: Person
let sdk: Sdk

before(async () => {
  site = await startWaymark()
  line = await startBadLine(site.url)
  person = await site.addPerson()
  await site.addTrail(7, 'Ridge')
  sdk = impatient({ baseUrl: line.url, credential: { bearer: person.token } })
})
after(async () => {
  await line.close()
  await site.close()
})

const blobOf = (bytes: Uint8Array, type: string): Blob => new Blob([new Uint8Array(bytes)], { type })
const noise = (length: number): Buffer => Buffer.alloc(length, 'noise')

/** A picture with many trailing bytes, which a server reads and drops, since progress needs some bytes. */
async function heavyPicture(seed: number): Promise<Blob> {
  return blobOf(Buffer.concat([await jpegPicture({ seed }), noise(3_000_000)]), 'image/jpeg')
}

describe('an upload', () => {
  void test('keeps its bytes, whatever its name and type', async () => {
    const bytes = await pngPicture()
    const file = new File([new Uint8Array(bytes)], 'say "cheese"\r\n.jpg', { type: '' })
    const details = { title: 'Žižkov ↔ 山', caption: '"quoted"', lat: 50.1, lon: 14.4 }
    const image = await sdk.images.upload(7, file, details)
    const { title, caption, lat, lon, mimeType, bytes: length } = image
    assert.deepEqual({ title, caption, lat, lon }, details)
    assert.deepEqual([mimeType, length], ['image/png', bytes.length])
  })

  void test('is a valid multipart form, whatever the name of its file', async () => {
    const name = 'say "cheese"\r\nContent-Type: text/html\r\n.jpg'
    let sent: FormData | undefined
    const { images } = impatient({
      baseUrl: '',
      fetch: async (_address, { body, headers }) => {
        sent = await new Response(body, { headers: new Headers(headers) }).formData()
        return Response.json({})
      },
    })
    await images.upload(7, new File(['bytes'], name, { type: 'image/png' }), { title: 'é' })
    const file = sent?.get('file')
    assert.ok(file instanceof File)
    assert.deepEqual([file.name, file.type, await file.text()], [name, 'image/png', 'bytes'])
    assert.equal(sent?.get('details'), '{"title":"é"}')
  })

  void test('reports its progress, from the start again if it is repeated', async () => {
    const file = await heavyPicture(1)
    const reported: Progress[] = []
    line.spoil('lose-answer')
    const image = await sdk.images.upload(7, file, {}, { onProgress: (progress) => reported.push(progress) })
    assert.equal(image.bytes, file.size)
    const total = reported[0]?.totalBytes ?? 0
    assert.ok(total > file.size && total < file.size + 1_000)
    assert.ok(reported.every(({ totalBytes }) => totalBytes === total))
    const starts = reported.flatMap(({ sentBytes }, at) => (sentBytes === 0 ? [at] : []))
    assert.equal(starts.length, 2, 'it was sent twice')
    const again = reported.slice(starts[1])
    assert.ok(again.length > 10, `only ${again.length} steps`)
    assert.ok(again.every(({ sentBytes }, at) => at === 0 || sentBytes > (again[at - 1]?.sentBytes ?? 0)))
    assert.equal(again.at(-1)?.sentBytes, total)
  })

  void test('is aborted in the middle when its caller aborts, and creates nothing', async () => {
    const giveUp = new AbortController()
    const onProgress = ({ sentBytes }: Progress): void => {
      if (sentBytes > 0) giveUp.abort()
    }
    const { items: before } = await sdk.images.page()
    const upload = sdk.images.upload(7, await heavyPicture(2), {}, { onProgress, signal: giveUp.signal })
    await assert.rejects(upload, { name: 'AbortError' })
    const { items } = await sdk.images.page()
    assert.equal(items.length, before.length)
  })

  void test("is refused with the server's reason, also during the transfer", async () => {
    const huge = blobOf(noise(9_000_000), 'image/jpeg')
    const direct = impatient({ baseUrl: site.url, credential: { bearer: person.token } })
    for (const options of [{}, { onProgress: () => {} }]) {
      const upload = direct.images.upload(7, huge, {}, options)
      await assert.rejects(upload, { name: 'WaymarkProblem', code: 'image-too-large', status: 413 })
    }
  })

  void test('stops sending once it is refused', async () => {
    let rest: ReadableStreamDefaultReader<unknown> | undefined
    const { images } = impatient({
      baseUrl: '',
      fetch: async (_address, { body }) => {
        assert.ok(body instanceof ReadableStream)
        rest = body.getReader()
        await rest.read()
        return Response.json({}, { status: 403 })
      },
    })
    const upload = images.upload(7, blobOf(noise(1_000_000), 'image/jpeg'), {}, { onProgress: () => {} })
    await assert.rejects(upload, { name: 'WaymarkProblem', code: 'http-403' })
    await rest?.read() // which was ready by then
    await assert.rejects(async () => rest?.read())
  })

  void test('names the terms that were shown', async () => {
    const photo = blobOf(await jpegPicture({ seed: 3 }), 'image/jpeg')
    const upload = sdk.images.upload(7, photo, undefined, { termsVersion: 'old' })
    await assert.rejects(upload, (error) => isWaymarkProblem(error) && error.code === 'other-terms')
    assert.equal((await sdk.images.upload(7, photo, undefined, { termsVersion: null })).title, '')
  })
})

void test('the classic upload returns only the ID', async () => {
  const imageID = await sdk.classic.uploadBytes(7, blobOf(await jpegPicture({ seed: 4 }), 'image/jpeg'))
  assert.equal(await sdk.classic.setDetails(7, imageID, { title: 'Gate' }), true)
  assert.equal((await sdk.classic.image(7, imageID)).title, 'Gate')
  const bytes = await (await sdk.classic.imageBytes(imageID, { size: 'sm' })).arrayBuffer()
  assert.deepEqual([...new Uint8Array(bytes).slice(0, 2)], [0xff, 0xd8])
})

void test('several GPX files become routes, or get a reason', async () => {
  const gpx =
    '<gpx version="1.1" creator="test"><trk><name>Loop</name><trkseg><trkpt lat="1" lon="2"/><trkpt lat="1.1" lon="2"/></trkseg></trk></gpx>'
  const files = [new File([gpx], 'loop.gpx'), new Blob(['no gpx'])]
  const { results } = await sdk.routes.import(person.accountId, files)
  assert.deepEqual(
    results.map(({ file, name, problem }) => [file, name, problem?.status]),
    [
      ['loop.gpx', 'Loop', undefined],
      ['route-2.gpx', undefined, 400],
    ],
  )
  const made = results[0]?.routeID ?? 0
  assert.match(await sdk.routes.gpx(made), /<trkpt lat="1.1"/)
  assert.equal((await sdk.routes.geojson(made)).features.length, 1)
})
