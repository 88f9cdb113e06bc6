// The Rim Trail with heights and a description, for the tests of a trail's page.
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { rimTrail, startGallery, type GalleryScene } from './gallery-scene.ts'
import { evaluate } from './harness.ts'

export const description =
  'A **loop** on the rim, see [the park](https://example.org/rim).\n\n## Getting there\n\nBus 12.\n\n' +
  'Raw <b onclick="x()">HTML</b> and [bad](javascript:alert(1))\n\n' +
  'Steep in its middle, and closed in winter. '.repeat(20)

/** Up from 800 m to 1,200 m and down to 1,000 m, with a point about every two hundred metres. */
function withHeights(): readonly (readonly number[])[] {
  const { coordinates } = rimTrail.geometry
  return coordinates.flatMap(([lon = 0, lat = 0], at) => {
    const [nextLon, nextLat] = coordinates[at + 1] ?? []
    const height = [800, 1_200, 1_000]
    if (nextLon === undefined || nextLat === undefined) return [[lon, lat, height[at] ?? 0]]
    return Array.from({ length: 10 }, (_, step) => {
      const share = step / 10
      const from = height[at] ?? 0
      const up = from + ((height[at + 1] ?? 0) - from) * share
      return [lon + (nextLon - lon) * share, lat + (nextLat - lat) * share, up]
    })
  })
}

/** @param taken when each photo was taken, if known. */
export async function startTrail(t: TestContext, taken: readonly string[] = []): Promise<GalleryScene> {
  const scene = await startGallery(t, taken)
  const admin = await scene.waymark.addPerson({ name: 'Eve', role: 'admin' })
  const { name, slug, trailID } = rimTrail
  const answer = await scene.waymark.fetch(`/v2/trails/${trailID}`, {
    method: 'PUT',
    token: admin.token,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      name,
      slug,
      description,
      geometry: { type: 'LineString', coordinates: withHeights() },
    }),
  })
  assert.equal(answer.status, 200, await answer.text())
  return scene
}

/**
 * React stops an event at the root while its target is not hydrated, and hydrates it if possible; this event has no other
 * handler.
 */
const isAlive = `(() => {
  const root = document.querySelector('#root')
  if (!Object.keys(root).some((name) => name.startsWith('__reactContainer'))) return false
  return [root, ...root.querySelectorAll('a, button')].every((part) => {
    let isReached = false
    const reach = () => (isReached = true)
    part.addEventListener('touchcancel', reach)
    part.dispatchEvent(new Event('touchcancel', { bubbles: true }))
    part.removeEventListener('touchcancel', reach)
    return isReached
  })
})()`

/**
 * Until every part of the page is hydrated, and with it its keys. Before, the page ignores keys and pointing, and links load
 * a server page. Input on buttons and fields is replayed later (early-presses.test.ts).
 */
export async function untilAlive(page: Page): Promise<void> {
  await until(async () => (await evaluate(page, isAlive)) === true, `${page.url()} is not alive`)
}

/** Polls until it is true. */
export async function until(isSo: () => Promise<boolean>, what: string): Promise<void> {
  const end = Date.now() + 30_000
  while (!(await isSo())) {
    assert.ok(Date.now() < end, what)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
