// Pages for frames on other sites: without scripts, only public content, with a policy that allows framing.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createPoints } from '../../src/shared/geo/points.ts'
import { runYielding } from '../../src/shared/yielding.ts'
import type { Line } from '../../src/shared/geo/points.ts'
import { drawLines, placesOf } from '../../src/web-app/route-drawing.ts'
import { jpegPicture } from '../helpers/pictures.ts'
import { startWaymark, type Person, type Waymark } from '../helpers/waymark.ts'

const nasty = `<b>&"'`
const escaped = '&lt;b&gt;&amp;&quot;&#39;'

const gpx = `<gpx version="1.1" creator="t" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>${[
  0, 1, 2, 3,
]
  .map((step) => `<trkpt lat="${46 + step / 10}" lon="${7 + step / 10}"/>`)
  .join('')}</trkseg></trk></gpx>`

void describe('embeds', () => {
  let waymark: Waymark
  let ana: Person
  const photos: number[] = []

  before(async () => {
    waymark = await startWaymark({ environment: { IMAGE_HANDLER_URL: 'https://cdn.example/i' } })
    await waymark.addTrail(7, `Rim ${nasty}`, 'rim')
    ana = await waymark.addPerson({ role: 'reviewer', name: `Ana ${nasty}` })
    for (let width = 20; width < 31; width += 1) {
      photos.push(await waymark.upload(ana, 7, await jpegPicture({ width })))
      waymark.system.advance(1_000)
    }
    for (const id of photos.slice(0, 10)) await waymark.review(ana, id, 'approve')
  })
  after(() => waymark.close())

  async function embed(address: string) {
    const answer = await waymark.fetch(`/embed/${address}`)
    return { status: answer.status, headers: answer.headers, text: await answer.text() }
  }

  it('can be framed by any site, and are not interactive', async () => {
    const { headers, text } = await embed(`images/${photos[0]}`)
    assert.equal(
      headers.get('content-security-policy'),
      "default-src 'none'; style-src 'self'; img-src 'self' https://cdn.example; form-action 'none'; base-uri 'none'; frame-ancestors *",
    )
    assert.equal(headers.get('x-frame-options'), null)
    assert.equal(headers.get('cache-control'), 'public, max-age=300')
    assert.equal(headers.get('x-content-type-options'), 'nosniff')
    assert.ok(headers.get('etag'))
    assert.doesNotMatch(text, /<script|<form|style="| on\w+=/)
    for (const [, address = ''] of text.matchAll(/href="(\/assets\/[^"]+)"/g))
      assert.equal((await waymark.fetch(address)).status, 200, address)
  })

  it('a photo: the picture, its photographer, and the link to it', async () => {
    const { status, text } = await embed(`images/${photos[0]}`)
    assert.equal(status, 200)
    assert.ok(
      text.includes(
        `<img src="https://cdn.example/i?id=${photos[0]}&amp;t=640" alt="A photo of Rim ${escaped}"`,
      ),
    )
    assert.ok(text.includes(`Photo: Ana ${escaped}`))
    assert.ok(
      text.includes(`href="https://trails.example/t/rim/${photos[0]}" target="_blank" rel="noopener"`),
    )
  })

  it('a trail: its newest nine photos, newest first', async () => {
    const { status, text } = await embed('t/rim')
    assert.equal(status, 200)
    const shown = [...text.matchAll(/<img src="https:\/\/cdn\.example\/i\?id=(\d+)&amp;t=md"/g)].map(
      ([, id]) => Number(id),
    )
    assert.deepEqual(shown, photos.slice(1, 10).toReversed())
    assert.match(text, /10 photos/)
  })

  it('an unlisted photo is not found, just like one that never existed', async () => {
    const none = await embed('images/1')
    assert.equal(none.status, 404)
    assert.equal(none.headers.get('cache-control'), 'no-store')
    for (const address of [`images/${photos[10]}`, 'images/x', 't/unknown', 'routes/1', 'routes/x']) {
      const { status, text } = await embed(address)
      assert.deepEqual([status, text], [404, none.text], address)
    }
  })

  it('C36: a route as others see it, without what a privacy zone hides', async () => {
    const headers = { 'content-type': 'application/json' }
    const add = async (visibility: string) => {
      const answer = await waymark.fetch(`/v2/accounts/${ana.accountId}/routes`, {
        method: 'POST',
        token: ana.token,
        headers,
        body: JSON.stringify({ name: `Pass ${nasty}`, gpx, visibility }),
      })
      assert.equal(answer.status, 201)
      return (await answer.json()) as { routeID: number; link: string | null }
    }
    const pointsOf = (text: string): number => (/<path d="M([^"]+)"/.exec(text)?.[1] ?? '').split('L').length
    const [open, linked, own] = [await add('public'), await add('link'), await add('private')]
    const shown = await embed(`routes/${open.routeID}`)
    assert.equal(shown.status, 200)
    assert.equal(pointsOf(shown.text), 4)
    assert.ok(shown.text.includes(`Pass ${escaped}`))
    assert.match(shown.text, /25\.\d miles/)
    assert.equal((await embed(`routes/${own.routeID}`)).status, 404)
    assert.equal((await embed(`routes/${linked.routeID}`)).status, 404)
    const { search } = new URL(linked.link ?? '')
    const byLink = await embed(`routes/${linked.routeID}${search}`)
    assert.equal(byLink.status, 200)
    assert.equal(byLink.headers.get('cache-control'), 'private, max-age=300')
    assert.equal(byLink.headers.get('x-robots-tag'), 'noindex')
    assert.ok(byLink.text.includes(`/routes/${linked.routeID}${search}"`))

    const zone = await waymark.fetch('/v2/me/zones', {
      method: 'POST',
      token: ana.token,
      headers,
      body: JSON.stringify({ name: 'home', lat: 46, lon: 7, radius: 500 }),
    })
    assert.equal(zone.status, 201, await zone.clone().text())
    const clipped = await embed(`routes/${open.routeID}`)
    const [start] = /<path d="M[\d.]+ [\d.]+/.exec(clipped.text) ?? []
    const whole = Number(/([\d.]+) miles/.exec(shown.text)?.[1])
    assert.ok(start !== undefined && Number(/([\d.]+) miles/.exec(clipped.text)?.[1]) < whole)
  })
})

void describe('the drawing of a route', () => {
  const draw = (lines: readonly Line[]) => runYielding(placesOf(lines))

  const lineFrom = (positions: readonly (readonly [lat: number, lon: number])[]) => {
    const points = createPoints()
    for (const [lat, lon] of positions) points.add(lat, lon)
    return { points, first: 0, end: points.count }
  }

  const lineOf = (...positions: readonly (readonly [lat: number, lon: number])[]) => lineFrom(positions)

  it('fits, north up, for any line: across the antimeridian, with one point, with none', async () => {
    const across = await draw([lineOf([-17, 179.99], [-17.01, -179.99])])
    const [[from, to] = []] = across
    assert.ok(from && to && from.x < to.x && from.y < to.y)
    for (const { x, y } of across.flat()) assert.ok(x >= 24 && x <= 616 && y >= 24 && y <= 336)
    assert.deepEqual(await draw([lineOf([46, 7])]), [[{ x: 320, y: 180 }]])
    assert.deepEqual(await draw([]), [])
    assert.deepEqual(await draw([lineOf()]), [])
  })

  it('is short, however many points the line has, and keeps both ends', async () => {
    const long = Array.from({ length: 50_000 }, (_, index) => [46 + index / 1e6, 7 + index / 1e6] as const)
    const [places = []] = await draw([lineOf(...long)])
    assert.ok(places.length < 400, String(places.length))
    assert.ok((places[0]?.y ?? 0) > 330 && (places.at(-1)?.y ?? 999) < 30)
  })

  /** Like a recorded walk: steps that turn slightly, and noise; determined by the seed. */
  function walk(count: number, seed: number): [lat: number, lon: number][] {
    let state = seed
    const random = (): number => {
      state = (state * 1_103_515_245 + 12_345) % 2 ** 31
      return state / 2 ** 31 - 0.5
    }
    let [lat, lon, heading] = [46, 7, 0]
    return Array.from({ length: count }, () => {
      heading += random()
      lat += 1e-4 * Math.cos(heading)
      lon += 1e-4 * Math.sin(heading)
      return [lat + 2e-5 * random(), lon + 2e-5 * random()]
    })
  }

  const isWithin = (at: readonly number[], from: readonly number[], to: readonly number[], max: number) => {
    const [px = 0, py = 0, ax = 0, ay = 0, bx = 0, by = 0] = [...at, ...from, ...to]
    const length = (bx - ax) ** 2 + (by - ay) ** 2
    const share =
      length === 0 ? 0 : Math.min(1, Math.max(0, ((px - ax) * (bx - ax) + (py - ay) * (by - ay)) / length))
    return Math.hypot(px - ax - share * (bx - ax), py - ay - share * (by - ay)) <= max
  }

  const drawnIn = (markup: string): number[][][] =>
    [...markup.matchAll(/<path d="M([^"]+)"/g)].map(([, text = '']) =>
      text.split('L').map((place) => place.split(' ').map(Number)),
    )

  it('issue 20, 4b: of 230,000 points is short, and nowhere off by more than two pixels', async () => {
    const places = (await draw([lineFrom(walk(230_000, 7))])).flat()
    const { content } = await drawLines([lineFrom(walk(230_000, 7))])
    const [drawn = []] = drawnIn(content.markup)
    assert.ok(places.length > 12_000, 'the walk is too simple to be thinned')
    assert.ok(content.markup.length < 200_000, String(content.markup.length))
    // In order along both: each place lies at the segment reached, or at one of the next.
    let at = 0
    for (const { x, y } of places) {
      const isNear = (segment: number): boolean =>
        isWithin([x, y], drawn[segment] ?? [], drawn[segment + 1] ?? [], 0.5 + 1e-6)
      while (at < drawn.length - 1 && !isNear(at)) at += 1
      assert.ok(at < drawn.length - 1, `${x} ${y} is not on the drawing`)
    }
  })

  it('issue 20, 4b: is short for any line: scribbles, thousands of lines of two points, dots', async () => {
    const random = walk(40_000, 3).map(([lat, lon]) => [(lat * 1e6) % 1, (lon * 1e6) % 1] as const)
    const pairs = Array.from({ length: 8_000 }, (_, index) =>
      lineOf(...random.slice(2 * index, 2 * index + 2)),
    )
    const dots = random.slice(0, 8_000).map(([lat, lon]) => lineOf([lat, lon], [lat + 1e-7, lon]))
    for (const lines of [[lineFrom(random)], pairs, dots, [...dots, lineFrom(random)]]) {
      const { content } = await drawLines(lines)
      assert.ok(content.markup.length < 200_000, String(content.markup.length))
      assert.ok(content.markup.length > 5_000, 'hardly anything is left')
    }
  })
})
