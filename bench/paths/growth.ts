// Growth: the same requests to servers with a hundred images, a million, and sizes in between.
import { statSync } from 'node:fs'
import path from 'node:path'
import { fileOf } from '../../src/settings/database-settings.ts'
import type { BenchPath, Case, Contender, Ground } from '../parts/bench.ts'
import { growDatabase, type Grown } from '../parts/grow.ts'
import { addPhotos } from '../parts/image-rows.ts'
import { startLoad, type Ask, type Load } from '../parts/load.ts'
import { prepareData, startOurs, type Ours } from '../parts/ours.ts'
import { paintPhotos } from '../parts/photos.ts'

const sizes = [100, 1_000, 10_000, 100_000, 1_000_000]
const quickSizes = [100, 10_000]
const photoSize = { width: 1_600, height: 1_200 }

interface Server {
  readonly name: string
  readonly grown: Grown
  readonly ours: Ours
  readonly viewedId: number
  readonly key: string
  readonly admin: string
  readonly member: string
  readonly heavy: string
  readonly limited: string
  /** Of the route's owner. */
  readonly hiker: string
}

interface Question {
  readonly name: string
  /** Maximum ratio of the largest size to the smallest. Without it, the ratio is only reported. */
  readonly atMost?: number
  readonly asks: (server: Server) => readonly Ask[]
}

const bearer = (token: string, address: string): Ask => ({
  path: address,
  headers: { Authorization: `Bearer ${token}` },
})
const only =
  (as: 'admin' | 'member' | 'heavy' | 'limited', address: string | ((server: Server) => string)) =>
  (server: Server): Ask[] => [bearer(server[as], typeof address === 'string' ? address : address(server))]
const half = '2024-05-01T00:00:00Z'
const cursorAt = (...parts: readonly number[]): string => Buffer.from(parts.join('\n')).toString('base64url')
const deep = cursorAt(Date.parse(half), 1)

/** Requests with a goal. */
const held: readonly Question[] = [
  {
    name: 'list of 20',
    atMost: 2.5,
    asks: ({ grown, key }) => [{ path: `/Trails/${grown.trailOf20}/Images?api_key=${key}` }],
  },
  {
    name: 'view, warm',
    atMost: 1.1,
    asks: ({ viewedId }) => [{ path: `/ImageHandler?id=${viewedId}&t=sm` }],
  },
  {
    name: 'point read of a route',
    atMost: 2,
    asks: ({ grown, hiker }) => [bearer(hiker, `/Accounts/${grown.routeOwnerId}/Routes/${grown.routeId}`)],
  },
]

/** Requests whose ratio is only reported. */
const reported: readonly Question[] = [
  { name: 'details of an image', asks: only('admin', ({ grown }) => `/v2/images/${grown.imageId}`) },
  { name: 'its history', asks: only('admin', ({ grown }) => `/v2/images/${grown.imageId}/history`) },
  { name: 'images, newest first', asks: only('admin', '/v2/images?limit=20') },
  { name: 'images, far down', asks: only('admin', `/v2/images?limit=20&cursor=${deep}`) },
  {
    name: 'images of a trail',
    asks: only('admin', ({ grown }) => `/v2/images?limit=20&trailID=${grown.trail}`),
  },
  {
    name: 'rejected images of a trail',
    asks: only('admin', ({ grown }) => `/v2/images?limit=20&status=rejected&trailID=${grown.trail}`),
  },
  { name: 'rejected images', asks: only('admin', '/v2/images?limit=20&status=rejected') },
  { name: 'images since', asks: only('admin', `/v2/images?limit=20&since=${half}`) },
  { name: 'images in a box with none', asks: only('admin', '/v2/images?limit=20&bbox=1,1,2,2') },
  { name: 'images in a small box', asks: only('admin', '/v2/images?limit=20&bbox=7,46,7.05,46.05') },
  { name: 'images in a wide box', asks: only('admin', '/v2/images?limit=20&bbox=5,43,16,49') },
  {
    name: 'own rejected images of a tenth of all',
    asks: only('heavy', '/v2/images?limit=20&status=rejected'),
  },
  { name: 'images, a limited reviewer', asks: only('limited', '/v2/images?limit=20') },
  { name: 'review queue', asks: only('admin', '/v2/review/queue?limit=20') },
  { name: 'review queue, far down', asks: only('admin', `/v2/review/queue?limit=20&cursor=${deep}`) },
  { name: 'review queue, reported ones', asks: only('admin', '/v2/review/queue?limit=20&status=reported') },
  { name: 'how much waits', asks: only('admin', '/v2/review/summary') },
  { name: 'trash', asks: only('admin', '/v2/trash?limit=20') },
  { name: 'changes', asks: only('admin', ({ grown }) => `/v2/changes?limit=20&since=${grown.images}`) },
  { name: 'trails', asks: only('admin', '/v2/trails?limit=20') },
  { name: 'trails by words', asks: only('admin', '/v2/trails?limit=20&q=nowhere') },
  {
    name: 'images.geojson',
    asks: ({ grown, key }) => [{ path: `/v2/trails/${grown.trail}/images.geojson?api_key=${key}` }],
  },
  { name: 'tile of zoom 6', asks: ({ key }) => [{ path: `/v2/tiles/6/33/22.mvt?api_key=${key}` }] },
  { name: 'tile of zoom 14', asks: ({ key }) => [{ path: `/v2/tiles/14/8556/5808.mvt?api_key=${key}` }] },
]

async function grow(ground: Ground, images: number): Promise<Server> {
  const dataDir = path.join(ground.folder, String(images))
  const file = await prepareData(dataDir, async ({ installation }) =>
    fileOf(installation.config.databasePlace),
  )
  const begun = performance.now()
  const grown = growDatabase(file, images, Date.now())
  const seconds = ((performance.now() - begun) / 1_000).toFixed(1)
  const megabytes = Math.round(statSync(file).size / 1e6)
  const photos = await paintPhotos(1, photoSize, 85)
  const made = await prepareData(dataDir, async (filling) => {
    const { adminId, memberId, heavyId, limitedId, routeOwnerId, trail } = grown
    const [viewedId = 0] = await addPhotos(filling, { trailId: trail, memberId, adminId }, photos)
    return {
      viewedId,
      key: await filling.addKey(memberId),
      admin: await filling.addToken(adminId),
      member: await filling.addToken(memberId),
      heavy: await filling.addToken(heavyId),
      limited: await filling.addToken(limitedId),
      hiker: await filling.addToken(routeOwnerId),
    }
  })
  const started = performance.now()
  const ours = await startOurs(dataDir)
  const startMs = Math.round(performance.now() - started)
  ground.note(
    `${images} images: ${megabytes} MB, made in ${seconds} s; the server listens ${startMs} ms after its start.`,
  )
  return { name: `${images} images`, grown, ours, ...made }
}

async function caseOf(load: Load, servers: readonly Server[], question: Question): Promise<Case> {
  const contenders: Contender[] = []
  for (const server of servers) {
    const { name, ours } = server
    const target = { name, port: ours.port, pids: [ours.pid], death: ours.death }
    contenders.push(
      await load.contender({ ...target, asks: question.asks(server), connections: 8, warmUpMs: 400 }),
    )
  }
  const [smallest, largest] = [servers[0]?.name ?? '', servers.at(-1)?.name ?? '']
  const { atMost } = question
  const goal = { what: question.name, of: largest, to: smallest, figure: 'cpu' } as const
  return { name: question.name, contenders, goals: [atMost === undefined ? goal : { ...goal, atMost }] }
}

export const growthPath: BenchPath = {
  name: 'growth',
  about: 'the same questions of servers with a hundred images and with a million',
  prepare: async (ground) => {
    const servers: Server[] = []
    for (const images of ground.isQuick ? quickSizes : sizes) servers.push(await grow(ground, images))
    const load = startLoad(ground)
    const ends = [servers[0], servers.at(-1)].filter((server) => server !== undefined)
    const cases: Case[] = []
    for (const question of held) cases.push(await caseOf(load, servers, question))
    for (const question of reported) {
      // Requests without a goal are measured more briefly.
      const pace = question.atMost === undefined ? { sliceMs: 300, rounds: 3 } : { sliceMs: 500 }
      cases.push({ ...(await caseOf(load, ends, question)), ...pace })
    }
    return {
      cases,
      close: async () => {
        load.noteCosts(ground)
        await Promise.all([load.close(), ...servers.map(({ ours }) => ours.close())])
      },
    }
  },
}
