// P1: photos through the image handler in sizes sm, 640 and lg, compared with nginx serving the same bytes as files, and
// with Directus.
import path from 'node:path'
import { startBoth } from '../parts/against-nginx.ts'
import type { BenchPath, Case, Goal, Ground } from '../parts/bench.ts'
import { addPhotos } from '../parts/image-rows.ts'
import { nginxName } from '../parts/nginx.ts'
import { oursName, prepareData } from '../parts/ours.ts'
import { peerName, startPeer } from '../parts/peer.ts'
import { cameraSize, paintPhotos } from '../parts/photos.ts'

const smallCount = 50
const largeCount = 6
const smallSize = { width: 1_600, height: 1_200 }
const trailId = 4711

const againstNginx = { of: oursName, to: nginxName, figure: 'cpu' } as const
const againstDirectus = { of: peerName, to: oursName, figure: 'cpu' } as const

interface SizeCase {
  readonly size: 'sm' | '640' | 'lg'
  readonly connections: number
  readonly goals: readonly Goal[]
}

const sizes: readonly SizeCase[] = [
  {
    size: 'sm',
    connections: 32,
    goals: [
      { what: 'size sm', ...againstNginx, atMost: 1.35 },
      { what: 'size sm, Directus takes so much more', ...againstDirectus, atLeast: 150 },
    ],
  },
  {
    size: '640',
    connections: 32,
    goals: [
      { what: 'size 640', ...againstNginx, atMost: 1.5 },
      { what: 'size 640, Directus takes so much more', ...againstDirectus },
    ],
  },
  {
    size: 'lg',
    connections: 8,
    goals: [
      { what: 'size lg', ...againstNginx, atMost: 2.5 },
      { what: 'size lg, Directus takes so much more', ...againstDirectus },
    ],
  },
]

async function fill(ground: Ground, dataDir: string) {
  const small = await paintPhotos(ground.isQuick ? 2 : smallCount, smallSize, 85)
  const large = await paintPhotos(ground.isQuick ? 1 : largeCount, cameraSize, 90)
  const ids = await prepareData(dataDir, async (filling) => {
    await filling.addTrail(trailId, 'Appalachian Trail')
    const memberId = await filling.addAccount('Hannah Ridge')
    const into = { trailId, memberId, adminId: await filling.addAccount('Ann', 'admin') }
    return { small: await addPhotos(filling, into, small), large: await addPhotos(filling, into, large) }
  })
  return { ids, large }
}

export const viewPath: BenchPath = {
  name: 'view',
  about: 'photos through the image handler, against nginx with the same bytes as files',
  prepare: async (ground) => {
    const dataDir = path.join(ground.folder, 'data')
    const { ids, large } = await fill(ground, dataDir)
    const both = await startBoth(ground, dataDir)
    const peer = await startPeer(ground, both.load, large)

    async function caseOf({ size, connections, goals }: SizeCase): Promise<Case> {
      const asks = (size === 'lg' ? ids.large : ids.small).map((id) => ({
        path: `/ImageHandler?id=${id}&t=${size}`,
      }))
      const { contenders, meanBytes } = await both.pair({ name: size, asks, connections })
      ground.note(
        `Size ${size}: ${asks.length} photos of ${Math.round(meanBytes)} bytes on average, ${connections} connections.`,
      )
      const directus = await peer.contender(
        ({ view }) => large.map((_, index) => view(index, size)),
        connections,
      )
      return { name: `size ${size}`, goals, contenders: [...contenders, directus] }
    }

    const cases: Case[] = []
    for (const size of sizes) cases.push(await caseOf(size))
    return {
      cases,
      close: async () => {
        await both.close()
        await peer.close()
      },
    }
  },
}
