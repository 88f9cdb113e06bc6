// Vector tiles with ten thousand photos and a million: generated after a change, and many at once.
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileOf } from '../../src/settings/database-settings.ts'
import type { BenchPath, Case, Contender, Ground } from '../parts/bench.ts'
import { measureCpu } from '../parts/cpu.ts'
import { growDatabase, type Grown } from '../parts/grow.ts'
import { startLoad, type Load } from '../parts/load.ts'
import { allowance, createLoopBlock } from '../parts/loop-block.ts'
import { prepareData, startOurs, type Ours } from '../parts/ours.ts'

const sizes = [10_000, 1_000_000]
const quickSizes = [10_000, 20_000]
/** Jobs started by a commit have finished by then. */
const afterChangeMs = 50
const warmUpRounds = 40
const health = { path: '/health/live', isOfAnyLength: true }
const zoom = 6
const maxTileMs = 3
const maxCpuOfAllMs = 1_000
const maxHealthMs = 50

/** The tiles of zoom 6 with photos, in the Rockies and the Alps, and their neighbours: 32 in total. */
const manyTiles = [
  { fromX: 10, fromY: 22 },
  { fromX: 32, fromY: 21 },
].flatMap(({ fromX, fromY }) =>
  Array.from({ length: 16 }, (_, at) => `${zoom}/${fromX + (at % 4)}/${fromY + Math.floor(at / 4)}`),
)

interface Server {
  readonly name: string
  readonly grown: Grown
  readonly ours: Ours
  readonly key: string
  readonly admin: string
}

interface GrownData {
  readonly dataDir: string
  readonly grown: Grown
}

async function grow(ground: Ground, images: number): Promise<GrownData> {
  const dataDir = path.join(ground.folder, String(images))
  const file = await prepareData(dataDir, ({ installation }) =>
    Promise.resolve(fileOf(installation.config.databasePlace)),
  )
  return { dataDir, grown: growDatabase(file, images, Date.now()) }
}

/** Called once all data exists, since a token lives for 15 minutes. */
async function start({ dataDir, grown }: GrownData): Promise<Server> {
  const made = await prepareData(dataDir, async (filling) => ({
    key: await filling.addKey(grown.memberId),
    admin: await filling.addToken(grown.adminId),
  }))
  return { name: `${grown.images} images`, grown, ours: await startOurs(dataDir), ...made }
}

const tilePath = ({ key }: Server, tile: string): string => `/v2/tiles/${tile}.mvt?api_key=${key}`

async function write({ ours, admin }: Server, method: string, address: string, change: object) {
  const headers = { Authorization: `Bearer ${admin}`, 'Content-Type': 'application/json' }
  const answer = await fetch(`${ours.url}${address}`, { method, headers, body: JSON.stringify(change) })
  await answer.arrayBuffer()
  if (answer.status !== 200) throw new Error(`${method} ${address} was answered ${answer.status}.`)
}

type Change = (server: Server, round: number) => Promise<void>

const changePhoto: Change = (server, round) =>
  write(server, 'PATCH', `/v2/images/${server.grown.imageInAlps}`, { title: `Title ${round}` })
/** Invalidates every cache. */
const changeTrail: Change = (server, round) =>
  write(server, 'PUT', `/v2/trails/${server.grown.trail}`, { name: `Name ${round}` })

/** Each counted tile is the first request after a change; the change is not counted. */
function createMadeAnew(load: Load, server: Server, change: Change): Contender {
  const { name, ours } = server
  const asks = [{ path: tilePath(server, `${zoom}/33/22`), isOfAnyLength: true }]
  const target = { name, port: ours.port, pids: [ours.pid], death: ours.death, asks, connections: 1 }
  let round = 0
  return {
    name,
    slice: async (ms) => {
      const sum = { done: 0, cpuUs: 0, wallMs: 0 }
      const begun = performance.now()
      do {
        round += 1
        await change(server, round)
        await sleep(afterChangeMs)
        const { done, cpuUs, wallMs } = await load.once(target, health)
        sum.done += done
        sum.cpuUs += cpuUs
        sum.wallMs += wallMs
      } while (performance.now() - begun < ms)
      return sum
    },
  }
}

async function askAll(server: Server): Promise<void> {
  const asked = manyTiles.map(async (tile) => {
    const answer = await fetch(`${server.ours.url}${tilePath(server, tile)}`)
    await answer.arrayBuffer()
    if (answer.status !== 200) throw new Error(`The tile ${tile} was answered ${answer.status}.`)
  })
  await Promise.all(asked)
}

/** Until V8 has compiled the tile code, as on a server in use. */
async function warmUp(ground: Ground, server: Server): Promise<void> {
  for (let round = 0; round < (ground.isQuick ? 2 : warmUpRounds); round += 1) {
    await (round % 2 === 0 ? changePhoto : changeTrail)(server, -round)
    await askAll(server)
  }
}

const cpuAllowance = (name: string, ms: number): Contender => ({
  name,
  slice: () => Promise.resolve({ done: 1, cpuUs: ms * 1_000, wallMs: ms }),
})

function anewCase(load: Load, servers: readonly Server[], what: string, change: Change): Case {
  const [small, large] = [servers[0]?.name ?? '', servers.at(-1)?.name ?? '']
  const enough = `${maxTileMs} ms`
  return {
    name: `tile of zoom ${zoom}, after ${what} has changed`,
    contenders: [
      ...servers.map((server) => createMadeAnew(load, server, change)),
      cpuAllowance(enough, maxTileMs),
    ],
    goals: [
      { what: 'growth', of: large, to: small, figure: 'cpu', atMost: 1.5 },
      { what: 'tile', of: large, to: enough, figure: 'cpu', atMost: 1 },
    ],
  }
}

async function manyCase(ground: Ground, load: Load, server: Server): Promise<Case> {
  const { name, ours } = server
  const [enoughCpu, enoughWait] = [`${maxCpuOfAllMs} ms of CPU`, `${maxHealthMs} ms`]
  const target = {
    name,
    port: ours.port,
    pids: [ours.pid],
    death: ours.death,
    asks: [health],
    connections: 2,
  }
  let round = 0
  const ready = async () => {
    round += 1
    await changeTrail(server, round)
    await sleep(afterChangeMs)
    return () => askAll(server)
  }
  const tookMs: number[] = []
  const beside = createLoopBlock({
    name: 'a health check beside them',
    probe: await load.contender(target),
    ready,
    onDeed: (ms) => tookMs.push(ms),
  })
  const all: Contender = {
    name,
    slice: async () => {
      const deed = await ready()
      const [cpu, begun] = [measureCpu([ours.pid]), performance.now()]
      await deed()
      return { done: 1, cpuUs: cpu(), wallMs: performance.now() - begun }
    },
  }
  ground.note(`The ${manyTiles.length} tiles are asked for on as many connections, each tile once.`)
  return {
    name: `${manyTiles.length} tiles of zoom ${zoom} at once, after a trail has changed`,
    contenders: [all, cpuAllowance(enoughCpu, maxCpuOfAllMs), beside, allowance(enoughWait, maxHealthMs)],
    goals: [
      { what: 'all together', of: name, to: enoughCpu, figure: 'cpu', atMost: 1 },
      { what: 'longest wait', of: beside.name, to: enoughWait, figure: 'p50', atMost: 1 },
    ],
  }
}

export const tilesPath: BenchPath = {
  name: 'tiles',
  about: 'vector tiles made anew, among ten thousand photos and a million',
  prepare: async (ground) => {
    const data: GrownData[] = []
    for (const images of ground.isQuick ? quickSizes : sizes) data.push(await grow(ground, images))
    const servers: Server[] = []
    for (const each of data) servers.push(await start(each))
    for (const server of servers) await warmUp(ground, server)
    const load = startLoad(ground)
    const cases = [
      anewCase(load, servers, 'a photo that it shows', changePhoto),
      anewCase(load, servers, 'a trail', changeTrail),
    ]
    const large = servers.at(-1)
    if (large !== undefined) cases.push(await manyCase(ground, load, large))
    return {
      cases,
      close: async () => {
        await Promise.all([load.close(), ...servers.map(({ ours }) => ours.close())])
      },
    }
  },
}
