// P2: the image list of a trail with its API key checked each time, compared with nginx serving the same bytes as files;
// and rebuilding the list.
import path from 'node:path'
import { askOnce, startBoth, type AgainstNginx } from '../parts/against-nginx.ts'
import type { BenchPath, Case, Contender, Goal, Ground } from '../parts/bench.ts'
import { addPhotos, copyPhotos } from '../parts/image-rows.ts'
import { allowance, createLoopBlock } from '../parts/loop-block.ts'
import { nginxName } from '../parts/nginx.ts'
import { oursName, prepareData } from '../parts/ours.ts'
import { peerName, startPeer } from '../parts/peer.ts'
import { paintPhotos } from '../parts/photos.ts'
import { median } from '../parts/statistics.ts'

const keyCount = 20
const trails = { '20': 4711, '100': 4712, '10000': 4713, '1000': 4714, '100000': 4715 } as const
const againstNginx = { of: oursName, to: nginxName, figure: 'cpu' } as const
const blockName = 'longest wait of another'
const allowedMs = 10

const forms = [
  { name: 'JSON', headers: { Accept: 'application/json' } },
  { name: 'XML', headers: { Accept: 'application/xml' } },
  { name: 'JSON, gzip', headers: { Accept: 'application/json', 'Accept-Encoding': 'gzip' } },
  { name: 'XML, gzip', headers: { Accept: 'application/xml', 'Accept-Encoding': 'gzip' } },
] as const

interface Filled {
  readonly keys: readonly string[]
  readonly token: string
  /** One image of the longest list. */
  readonly imageId: number
}

function fill(ground: Ground, dataDir: string): Promise<Filled> {
  return prepareData(dataDir, async (filling) => {
    const memberId = await filling.addAccount('Hannah Ridge')
    const adminId = await filling.addAccount('Ann', 'admin')
    const [photo = Buffer.alloc(0)] = await paintPhotos(1, { width: 800, height: 600 }, 80)
    const aside = 1
    await filling.addTrail(aside, 'Aside')
    const [imageId = 0] = await addPhotos(filling, { trailId: aside, memberId, adminId }, [photo])
    const ids: number[] = []
    for (const [count, trailId] of Object.entries(trails)) {
      await filling.addTrail(trailId, 'Appalachian Trail')
      const wanted = ground.isQuick ? Math.min(Number(count), 500) : Number(count)
      ids.push(...(await copyPhotos(filling, { imageId, trailId, count: wanted })))
    }
    const keys: string[] = []
    for (let index = 0; index < keyCount; index += 1) keys.push(await filling.addKey(memberId))
    return { keys, token: await filling.addToken(memberId), imageId: ids.at(-1) ?? 0 }
  })
}

/** The same list with each key in turn, so that no key was used by the previous request. */
const asksOf = (trailId: number, keys: readonly string[], headers: Readonly<Record<string, string>>) =>
  keys.map((key) => ({ path: `/Trails/${trailId}/Images?api_key=${key}`, headers }))

async function notModifiedCase({ ours, pairWith }: AgainstNginx, keys: readonly string[]): Promise<Case> {
  const [first, ...others] = asksOf(trails['100'], keys, forms[0].headers)
  const { headers } = await askOnce(ours.port, first ?? { path: '/' })
  const asks = [first, ...others].map((ask) => ({
    path: ask?.path ?? '/',
    headers: { ...ask?.headers, 'If-None-Match': headers.etag ?? '' },
    status: 304,
    bytes: 0,
  }))
  const contenders = await pairWith(asks, { path: '/not-modified', status: 304, bytes: 0 })
  return { name: '304', contenders, goals: [{ what: 'If-None-Match', ...againstNginx, atMost: 3 }] }
}

/** Lengths whose cost per byte is compared. From here on, the cost of the request itself is small. */
const lengths = ['1000', '100000'] as const

/** Compares the cost per byte of a long list and a short one: there must be no length from which it grows. */
async function cliffCase({ ours, load }: AgainstNginx, keys: readonly string[]): Promise<Case> {
  const contenders: Contender[] = []
  for (const count of lengths) {
    const [ask = { path: '/' }] = asksOf(trails[count], keys, forms[0].headers)
    const { body } = await askOnce(ours.port, ask)
    const { port, pid, death } = ours
    const bytes = body.length
    const contender = await load.contender({
      name: `${count}, each MB`,
      port,
      pids: [pid],
      death,
      asks: [{ ...ask, bytes }],
      connections: 2,
    })
    contenders.push(perMegabyte(contender, bytes))
  }
  const [short, long] = lengths.map((count) => `${count}, each MB`)
  const goal: Goal = {
    what: 'a byte of the long list',
    of: long ?? '',
    to: short ?? '',
    figure: 'cpu',
    atMost: 3,
  }
  return { name: '100,000 against 1,000, JSON', contenders, goals: [goal] }
}

/** Counts megabytes instead of responses. */
const perMegabyte = (contender: Contender, bytes: number): Contender => ({
  name: contender.name,
  slice: async (ms) => {
    const slice = await contender.slice(ms)
    return { ...slice, done: (slice.done * bytes) / 1e6 }
  },
})

/** The first read after a change, while /health/live is requested a thousand times a second. */
async function coldCase(ground: Ground, { ours, load }: AgainstNginx, filled: Filled) {
  const probe = await load.contender({
    name: '/health/live',
    port: ours.port,
    pids: [ours.pid],
    death: ours.death,
    asks: [{ path: '/health/live' }],
    connections: 4,
  })
  const [list = { path: '/' }] = asksOf(trails['10000'], filled.keys, forms[2].headers)
  const image = `${ours.url}/Trails/${trails['10000']}/Images/${filled.imageId}`
  const headers = { authorization: `Bearer ${filled.token}`, 'content-type': 'application/json' }
  const tookMs: number[] = []
  let changes = 0
  const ready = async () => {
    changes += 1
    const body = JSON.stringify({ caption: `Changed ${changes} times` })
    const answer = await fetch(image, { method: 'PUT', headers, body })
    if (answer.status !== 200) throw new Error(`${oursName} answered ${answer.status} to a new caption.`)
    return async (): Promise<void> => {
      const { status } = await askOnce(ours.port, list)
      if (status !== 200) throw new Error(`${oursName} answered ${status} to the first read after a change.`)
    }
  }
  const block = createLoopBlock({ name: blockName, probe, ready, onDeed: (ms) => void tookMs.push(ms) })
  const allowed = `${allowedMs} ms`
  const goal: Goal = {
    what: 'a cold build keeps others waiting at most',
    of: blockName,
    to: allowed,
    figure: 'p50',
    atMost: 1,
  }
  const noteIt = (): void => {
    const ms = median(tookMs).toFixed(0)
    ground.note(
      `The first read of 10,000 images (gzip) after a change took ${ms} ms in the middle of ${tookMs.length}.`,
    )
  }
  const found: Case = {
    name: '10,000 anew',
    contenders: [block, allowance(allowed, allowedMs)],
    goals: [goal],
  }
  return { found, noteIt }
}

export const listPath: BenchPath = {
  name: 'list',
  about:
    'the image list of a trail, its API key checked each time, against nginx with the same bytes as files',
  prepare: async (ground) => {
    const dataDir = path.join(ground.folder, 'data')
    const filled = await fill(ground, dataDir)
    const location = 'location = /not-modified { return 304; }'
    const both = await startBoth(ground, dataDir, [location])
    const peer = await startPeer(ground, both.load)

    async function shortCase(count: '20' | '100', form: (typeof forms)[number]): Promise<Case> {
      const name = `${count}, ${form.name}`
      const asks = asksOf(trails[count], filled.keys, form.headers)
      const { contenders, meanBytes } = await both.pair({ name: name.replaceAll(/\W+/g, '-'), asks })
      ground.note(`${name}: ${Math.round(meanBytes)} bytes.`)
      const goals: Goal[] = [{ what: 'list', ...againstNginx, atMost: 3, stretch: 2 }]
      if (form.name !== 'JSON') return { name, contenders, goals }
      goals.push({
        what: 'Directus takes so much more',
        of: peerName,
        to: oursName,
        figure: 'cpu',
        atLeast: 80,
      })
      const wanted = count === '20' ? 20 : 100
      const directus = await peer.contender(({ list }) => [list(wanted)])
      return { name, contenders: [...contenders, directus], goals }
    }

    const cases: Case[] = []
    for (const count of ['20', '100'] as const)
      for (const form of forms) cases.push(await shortCase(count, form))
    cases.push(await notModifiedCase(both, filled.keys))
    const long = asksOf(trails['10000'], filled.keys.slice(0, 2), forms[0].headers)
    const { contenders, meanBytes } = await both.pair({ name: 'long', asks: long, connections: 8 })
    ground.note(`10,000, JSON: ${Math.round(meanBytes)} bytes, 8 connections.`)
    cases.push({
      name: '10,000, JSON',
      contenders,
      goals: [{ what: 'list, warm', ...againstNginx, atMost: 1 }],
    })
    const cold = await coldCase(ground, both, filled)
    cases.push(cold.found)
    cases.push(await cliffCase(both, filled.keys))
    return {
      cases,
      close: async () => {
        cold.noteIt()
        await both.close()
        await peer.close()
      },
    }
  },
}
