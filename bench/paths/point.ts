// P5: one of the caller's routes by id, with the token checked each time, compared with a bare response of node:http.
import path from 'node:path'
import type { BenchPath } from '../parts/bench.ts'
import { helloName, startHello } from '../parts/hello.ts'
import { startLoad } from '../parts/load.ts'
import { oursName, prepareData, startOurs } from '../parts/ours.ts'
import { addRoutes } from '../parts/route-rows.ts'

/** Routes of others: lookups in a small table would be too fast. */
const otherRoutes = 5_000
const ownRoutes = 1_000
const gpxBytes = 2_000

export const pointPath: BenchPath = {
  name: 'point',
  about: 'a route of 2 KB by its id, token checked, out of 6,000; the limit is five bytes from node:http',
  prepare: async (ground) => {
    const dataDir = path.join(ground.folder, 'data')
    const { account, token, routes } = await prepareData(dataDir, async (filling) => {
      await addRoutes(filling, await filling.addAccount('Ann'), { count: otherRoutes, gpxBytes })
      const account = await filling.addAccount('Bob')
      const routes = await addRoutes(filling, account, { count: ownRoutes, gpxBytes })
      return { account, routes, token: await filling.addToken(account) }
    })
    const load = startLoad(ground)
    const hello = await startHello()
    const ours = await startOurs(dataDir)
    const asks = routes.map((id) => ({
      path: `/Accounts/${account}/Routes/${id}`,
      headers: { Authorization: `Bearer ${token}` },
    }))
    const { port, pid, death } = ours
    const contenders = [
      await load.contender(hello),
      await load.contender({ name: oursName, port, pids: [pid], death, asks }),
    ]
    const goals = [{ what: 'point read', of: oursName, to: helloName, figure: 'cpu', atMost: 2 }] as const
    return {
      cases: [{ name: 'GET of a route', contenders, goals }],
      close: async () => {
        load.noteCosts(ground)
        await Promise.all([load.close(), hello.close(), ours.close()])
      },
    }
  },
}
