// Every form of a request that users, clients and proxies send, compared with node:http's bare response to the same
// headers.
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { askOnce } from '../parts/against-nginx.ts'
import type { BenchPath, Case, Contender, Ground, Slice } from '../parts/bench.ts'
import { besideWrites } from '../parts/beside-writes.ts'
import { changesOf, differentAsks, rowsOfForms, type Form, type FormsRow } from '../parts/forms-asks.ts'
import { fillForms, quietTrail, type FormsData } from '../parts/forms-data.ts'
import { helloName, startHello } from '../parts/hello.ts'
import { startLoad, type Ask } from '../parts/load.ts'
import { oursName, startOurs } from '../parts/ours.ts'
import { headerSets } from '../parts/request-forms.ts'
import { figureOf } from '../parts/statistics.ts'

const warmUpMs = 300
/** Duration for finding the worst form of a row. */
const scoutMs = 200
const besideName = `${oursName}, others are changed`
const writesEverySecond = 42
const afterPutsMs = 100
/** Compressed forms are generated in the background after the first response. */
const untilCodedMs = 150

const againstHello = { of: oursName, to: helloName, figure: 'cpu' } as const

/** Omits the steady rate, which would double the duration; no goal here is about latency. */
const withoutPace = ({ name, slice }: Contender): Contender => ({ name, slice })

interface Scouted {
  readonly form: Form
  readonly ratio: number
  readonly contenders: readonly Contender[]
}

async function startForms(ground: Ground, dataDir: string, data: FormsData) {
  const load = startLoad(ground)
  const hello = await startHello()
  const ours = await startOurs(dataDir, { WEB_APP: 'on' })
  const target = { name: oursName, port: ours.port, pids: [ours.pid], death: ours.death, warmUpMs }

  const oursWith = async (asks: readonly Ask[]) => {
    const coded = asks.filter(({ headers }) => headers?.['Accept-Encoding'] !== undefined)
    for (const ask of coded) if ((ask.method ?? 'GET') === 'GET') await askOnce(ours.port, ask)
    if (coded.length > 0) await sleep(untilCodedMs)
    return withoutPace(await load.contender({ ...target, asks }))
  }
  /** The bare response to requests with the same method, headers and body. */
  const helloWith = async (asks: readonly Ask[]) => {
    const same = asks.map(({ method = 'GET', headers = {}, body }) => ({
      path: '/',
      method,
      headers,
      bytes: method === 'HEAD' ? 0 : 5,
      ...(body && { body }),
    }))
    return withoutPace(await load.contender({ ...hello, warmUpMs, asks: same }))
  }
  const pair = async (asks: readonly Ask[]) => [await helloWith(asks), await oursWith(asks)]

  /** Measures the first request after a change. The changes themselves are not counted. */
  const afterChange = (asks: readonly Ask[]): Contender => {
    let round = 0
    const opening = { path: '/health/live', isOfAnyLength: true }
    return {
      name: oursName,
      slice: async (ms): Promise<Slice> => {
        const sum = { done: 0, cpuUs: 0, wallMs: 0 }
        const begun = performance.now()
        do {
          round += 1
          await load.once({ ...target, asks: changesOf(data, 'PUT', round) }, opening)
          await sleep(afterPutsMs)
          const { done, cpuUs, wallMs } = await load.once({ ...target, asks }, opening)
          sum.done += done
          sum.cpuUs += cpuUs
          sum.wallMs += wallMs
        } while (performance.now() - begun < ms)
        return sum
      },
    }
  }
  return { load, hello, ours, pair, oursWith, helloWith, afterChange }
}

type Forms = Awaited<ReturnType<typeof startForms>>

/**
 * Measures each form briefly.
 * @returns the worst, with a note of all.
 */
async function worstOf(ground: Ground, { pair }: Forms, row: FormsRow): Promise<Scouted> {
  const found: Scouted[] = []
  for (const form of row.forms) {
    const contenders = await pair([form.ask])
    const figures: number[] = []
    for (const contender of contenders)
      figures.push(figureOf('cpu', await contender.slice(ground.isQuick ? 50 : scoutMs)))
    const [bare = Number.NaN, whole = Number.NaN] = figures
    found.push({ form, contenders, ratio: whole / bare })
  }
  const sorted = found.toSorted((one, other) => other.ratio - one.ratio)
  const reported = sorted.map(({ form, ratio }) => `${form.name} ${ratio.toFixed(2)}`)
  ground.note(`${row.name}, each form for a moment, the worst first: ${reported.join('; ')}.`)
  const [worst] = sorted
  if (worst === undefined) throw new Error(`${row.name} has no forms.`)
  return worst
}

async function worstCase(ground: Ground, forms: Forms, row: FormsRow): Promise<Case> {
  const { form, contenders } = await worstOf(ground, forms, row)
  const goal = { what: row.name, ...againstHello, atMost: row.atMost }
  const goals = [row.stretch === undefined ? goal : { ...goal, stretch: row.stretch }]
  return { name: `${row.name}, worst: ${form.name}`, contenders, goals }
}

async function besideCase({ ours, oursWith }: Forms, data: FormsData, rows: readonly FormsRow[]) {
  const asks = rows.flatMap(({ forms }) => forms.filter((form) => !form.isOfAllTrails).map(({ ask }) => ask))
  const quiet = await oursWith(asks)
  const writes = [...changesOf(data, 'PUT', 0), ...changesOf(data, 'PUT', 1)]
  const beside = { name: besideName, port: ours.port, asks: writes, everySecond: writesEverySecond }
  return {
    name: `${writesEverySecond} writes a second to other trails`,
    contenders: [quiet, besideWrites(quiet, beside)],
    goals: [
      { what: 'reads, the writes counted too', of: besideName, to: oursName, figure: 'cpu', atMost: 1.2 },
    ],
  } as const satisfies Case
}

async function changeCases({ afterChange, helloWith, oursWith, pair }: Forms, data: FormsData) {
  const key = `api_key=${data.keys[0]}`
  // Uncompressed: gzip runs once after each change, and costs more than the request.
  const { curl } = headerSets
  const firsts = data.others.map(({ trailId, imageIds: [id = 0] }) => ({ trailId, id }))
  const bare = await helloWith([{ path: '/', headers: curl }])
  const after = (what: string, atMost: number, pathOf: (of: (typeof firsts)[number]) => string): Case => ({
    name: `first ask after a change: ${what}`,
    contenders: [
      bare,
      afterChange(firsts.map((of) => ({ path: pathOf(of), headers: curl, isOfAnyLength: true }))),
    ],
    goals: [{ what: 'first ask', ...againstHello, atMost }],
    sliceMs: 500, // the changes in between take as long
  })
  const writing = (method: 'PUT' | 'PATCH'): Ask[] => [
    ...changesOf(data, method, 0),
    ...changesOf(data, method, 1),
  ]
  const [puttingBare, putting] = await pair(writing('PUT'))
  const patching = await oursWith(writing('PATCH'))
  const patchName = `${oursName}, PATCH`
  const written: Case = {
    name: 'PUT and PATCH, durable',
    contenders: [puttingBare, putting, { ...patching, name: patchName }].filter((one) => one !== undefined),
    goals: [
      { what: 'PUT details', ...againstHello, atMost: 15 },
      { what: 'PATCH', ...againstHello, of: patchName, atMost: 15 },
    ],
  }
  return [
    after('details', 4, ({ trailId, id }) => `/Trails/${trailId}/Images/${id}?${key}`),
    after('v2 image', 4, ({ id }) => `/v2/images/${id}?${key}`),
    after('list of 20', 10, ({ trailId }) => `/Trails/${trailId}/Images/?${key}`),
    after('v2 page of 20', 10, ({ trailId }) => `/v2/trails/${trailId}/images?limit=20&${key}`),
    written,
  ]
}

async function casesOf(ground: Ground, forms: Forms, data: FormsData): Promise<Case[]> {
  const { ours, pair } = forms
  const etagOf = async (address: string): Promise<string> => {
    const { headers } = await askOnce(ours.port, { path: address, headers: { Accept: 'application/json' } })
    return headers.etag ?? ''
  }
  const { reads, refusals, pages } = rowsOfForms(data, {
    list: await etagOf(`/Trails/${quietTrail}/Images/?api_key=${data.keys[0]}`),
    view: await etagOf(`/ImageHandler?id=${data.imageIds[0]}&t=sm`),
  })
  const cases: Case[] = []
  for (const row of [...reads, refusals, pages]) cases.push(await worstCase(ground, forms, row))
  const classic = reads.filter(({ name }) => name !== 'v2').flatMap((row) => row.forms.map(({ ask }) => ask))
  cases.push(
    {
      name: 'view, list, 304, details and route, all forms in turn',
      contenders: await pair(classic),
      goals: [{ what: 'reads', ...againstHello, atMost: 1.8, stretch: 1.6 }],
    },
    {
      name: `${data.keys.length} addresses and keys, each another`,
      contenders: await pair(differentAsks(data)),
      goals: [{ what: 'lists and details', ...againstHello, atMost: 1.8, stretch: 1.6 }],
    },
    await besideCase(forms, data, reads),
    ...(await changeCases(forms, data)),
  )
  return cases
}

export const formsPath: BenchPath = {
  name: 'forms',
  about: 'requests as users, clients and proxies send them; the limit is five bytes from node:http',
  prepare: async (ground) => {
    const dataDir = path.join(ground.folder, 'data')
    const data = await fillForms(dataDir, ground.isQuick)
    const forms = await startForms(ground, dataDir, data)
    const { load, hello, ours } = forms
    return {
      cases: await casesOf(ground, forms, data),
      close: async () => {
        load.noteCosts(ground)
        await Promise.all([load.close(), hello.close(), ours.close()])
      },
    }
  },
}
