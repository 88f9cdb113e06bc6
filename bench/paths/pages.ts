// A server-rendered trail page: from the cache, compared with a bare response of node:http, and rendered each time.
import path from 'node:path'
import type { BenchPath } from '../parts/bench.ts'
import { helloName, startHello } from '../parts/hello.ts'
import { addPhotos, copyPhotos } from '../parts/image-rows.ts'
import { startLoad } from '../parts/load.ts'
import { oursName, prepareData, startOurs } from '../parts/ours.ts'
import { paintPhotos } from '../parts/photos.ts'

const trailId = 4711
const photos = 200
const madeName = 'made anew'
const headers = {
  Accept: 'text/html',
  'Accept-Encoding': 'gzip, deflate, br',
  'Accept-Language': 'en-GB,en;q=0.9',
}
/** More pages than the cache holds, so that none is still cached when it is requested again. */
const days = 3_000

const dayOf = (at: number): string => new Date(Date.UTC(2000, 0, 1 + at)).toISOString().slice(0, 10)

export const pagesPath: BenchPath = {
  name: 'pages',
  about:
    'the page of a trail with 200 photos, as browsers ask for it; kept, and made anew. Needs `npm run build`',
  prepare: async (ground) => {
    const dataDir = path.join(ground.folder, 'data')
    await prepareData(dataDir, async (filling) => {
      const memberId = await filling.addAccount('Hannah Ridge')
      const adminId = await filling.addAccount('Ann', 'admin')
      const [photo = Buffer.alloc(0)] = await paintPhotos(1, { width: 800, height: 600 }, 80)
      await filling.addTrail(1, 'Aside')
      const [imageId = 0] = await addPhotos(filling, { trailId: 1, memberId, adminId }, [photo])
      await filling.addTrail(trailId, 'Rim Trail')
      await copyPhotos(filling, { imageId, trailId, count: photos })
    })
    const load = startLoad(ground)
    const hello = await startHello()
    const { port, pid, death, close } = await startOurs(dataDir, { WEB_APP: 'on' })
    const target = { port, pids: [pid], death }
    const pages = Array.from({ length: days }, (_, at) => `/t/rim-trail?since=${dayOf(at)}`)
    const contenders = [
      await load.contender(hello),
      await load.contender({ ...target, name: oursName, asks: [{ path: '/t/rim-trail', headers }] }),
      await load.contender({ ...target, name: madeName, asks: pages.map((path) => ({ path, headers })) }),
    ]
    const goals = [
      { what: 'kept page', of: oursName, to: helloName, figure: 'cpu', atMost: 4 },
      { what: 'page made anew', of: madeName, to: helloName, figure: 'cpu' },
    ] as const
    return {
      cases: [{ name: "GET of a trail's page", contenders, goals }],
      close: async () => {
        load.noteCosts(ground)
        await Promise.all([load.close(), hello.close(), close()])
      },
    }
  },
}
