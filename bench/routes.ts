// Routes against what the machine itself costs, in one run: a POST of 200 KB, a point read, a list of 50. `node bench/routes.ts`
import { mkdtemp, open, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { availableParallelism, tmpdir } from 'node:os'
import path from 'node:path'
import { createWriteStream } from 'node:fs'
import { createAccounts } from '../src/accounts/accounts.ts'
import { createApp } from '../src/app.ts'
import { registerClient } from '../src/auth/oauth-clients.ts'
import { saveObject } from '../src/auth/oauth-objects-table.ts'
import { hashId } from '../src/auth/oauth-store.ts'
import { hashPassword } from '../src/auth/passwords.ts'
import { readConfig } from '../src/config.ts'
import { readGpxText } from '../src/contract/gpx.ts'
import { loggerTo } from '../src/http/server.ts'
import { openInstallation } from '../src/installation.ts'
import { realSystem } from '../src/system.ts'
import { askMany, cpuOf, median, rangeOf, startHello } from './parts/measure.ts'

const rounds = 7
const requestsOfRound = 4_000
const listsOfRound = 1_000
const postsOfRound = 20
const token = 'bench-token'
/** Rows that are in the way: what is found among few is found too fast. */
const otherRoutes = 5_000

/** A track as a receiver writes it: a point a line, with elevation and time. */
function gpxOf(bytes: number, seed: number): string {
  const head =
    '<?xml version="1.0" encoding="UTF-8"?>\n<gpx version="1.1" creator="bench" xmlns="http://www.topografix.com/GPX/1/1">\n<trk><name>Bench</name><trkseg>\n'
  const tail = '</trkseg></trk></gpx>\n'
  let text = head
  for (let index = 0; text.length + tail.length + 110 < bytes; index += 1) {
    const lat = (46 + index * 0.00011 + (seed % 97) * 0.001).toFixed(7)
    const lon = (7.4 + Math.sin(index / 50) * 0.01).toFixed(7)
    const time = new Date(Date.UTC(2026, 4, 14) + index * 1_000).toISOString()
    text += `<trkpt lat="${lat}" lon="${lon}"><ele>${(500 + Math.sin(index / 90) * 80).toFixed(2)}</ele><time>${time}</time></trkpt>\n`
  }
  return text + tail
}

async function prepare(folder: string) {
  const config = readConfig({
    DATA_DIR: folder,
    PUBLIC_URL: 'https://trails.example',
    RATE_LIMIT_FACTOR: '100000',
    QUOTA_ROUTES: '0',
  })
  const installation = await openInstallation(config, realSystem)
  const { db } = installation.database
  const accounts = createAccounts({ db, system: realSystem, hashPassword })
  const person = { displayName: 'Ann', role: 'member', id: undefined, password: undefined } as const
  const accountId = await accounts.create({ ...person, email: 'ann@trails.example' })
  const readerId = await accounts.create({ ...person, email: 'bob@trails.example' })
  const log = createWriteStream(path.join(folder, 'log'))
  const app = await createApp(installation, { logger: loggerTo(log, 'info') })
  await app.server.listen({ port: 0, host: '127.0.0.1' })
  const scope = 'routes:read routes:write'
  const registered = { name: 'bench', scope, now: Date.now(), isPublic: true, redirectUris: [] }
  const tokenOf = async (owner: number): Promise<string> => {
    const { clientId } = await registerClient(db, { ...registered, accountId: owner })
    const payload = JSON.stringify({ accountId: String(owner), clientId, scope })
    const named = { grantId: null, userCode: null, uid: clientId }
    const id = `${token}-${owner}`
    const object = { kind: 'AccessToken', idHash: hashId(id), payload, ...named }
    await saveObject(db, { ...object, accountId: owner, clientId, expiresAt: Date.now() + 900_000 })
    return id
  }
  return {
    app,
    installation,
    accountId,
    readerId,
    writer: await tokenOf(accountId),
    reader: await tokenOf(readerId),
    url: `http://127.0.0.1:${(app.server.server.address() as AddressInfo).port}`,
  }
}

const folder = await mkdtemp(path.join(tmpdir(), 'waymark-bench-'))
const hello = await startHello()
const { app, installation, accountId, readerId, writer, reader, url } = await prepare(folder)

async function post(owner: number, bearer: string, gpx: string): Promise<number> {
  const answer = await fetch(`${url}/Accounts/${owner}/Routes`, {
    method: 'POST',
    headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
    body: JSON.stringify([{ name: 'Bench', description: '', gpx, length: 0 }]),
  })
  const text = await answer.text()
  if (answer.status !== 201) throw new Error(`${answer.status} ${text}`)
  return Number(text)
}

/** Milliseconds that the disk needs for the bytes alone. */
async function writeSynced(bytes: Uint8Array, index: number): Promise<number> {
  const begun = performance.now()
  const file = await open(path.join(folder, `synced-${index}`), 'w')
  try {
    await file.write(bytes)
    await file.datasync()
  } finally {
    await file.close()
  }
  return performance.now() - begun
}

const timed = async (work: () => unknown): Promise<number> => {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}

const small = gpxOf(2_000, 1)
for (let row = 0; row < otherRoutes; row += 1) {
  await app.services.accountRoutes.routes.create(
    { accountId, path: '', key: undefined },
    { name: `Route ${row}`, gpx: small },
    '',
  )
}
let routeId = 0
for (let row = 0; row < 50; row += 1) routeId = await post(readerId, reader, small)

const figures = {
  hello: [] as number[],
  point: [] as number[],
  list: [] as number[],
  post: [] as number[],
  synced: [] as number[],
  parsed: [] as number[],
}
const set = `${url}/Accounts/${readerId}/Routes`
for (let round = 0; round <= rounds; round += 1) {
  const isWarm = round > 0
  const keep = (name: keyof typeof figures, figure: number): void => {
    if (isWarm) figures[name].push(figure)
  }
  keep('hello', await cpuOf(requestsOfRound, () => askMany(hello.url, requestsOfRound)))
  keep('point', await cpuOf(requestsOfRound, () => askMany(`${set}/${routeId}`, requestsOfRound, reader)))
  keep('list', await cpuOf(listsOfRound, () => askMany(set, listsOfRound, reader)))
  for (let index = 0; index < postsOfRound; index += 1) {
    const gpx = gpxOf(200_000, round * postsOfRound + index)
    keep('synced', await writeSynced(Buffer.from(gpx), index))
    keep('parsed', await timed(() => readGpxText(gpx)))
    keep('post', await timed(() => post(accountId, writer, gpx)))
  }
}
await app.close()
await installation.close()
hello.close()
await rm(folder, { recursive: true })

const base = median(figures.hello)
const limit = median(figures.synced) + median(figures.parsed)
process.stdout.write(
  [
    `node ${process.version}, ${availableParallelism()} cores, ${rounds} rounds`,
    '| what | CPU µs a request, median (least–most) | of a bare answer | goal |',
    '|---|---|---|---|',
    `| hello: a bare node:http answer | ${rangeOf(figures.hello)} | 1 | |`,
    `| point read: one route of 2 KB, token checked | ${rangeOf(figures.point)} | ${(median(figures.point) / base).toFixed(2)} | ≤ 2 |`,
    `| list of 50 such routes | ${rangeOf(figures.list)} | ${(median(figures.list) / base).toFixed(2)} | |`,
    '',
    '| what | ms, median (least–most) | |',
    '|---|---|---|',
    `| fdatasync of 200 KB | ${rangeOf(figures.synced, 2)} | |`,
    `| parsing the same | ${rangeOf(figures.parsed, 2)} | |`,
    `| POST of the same, durable | ${rangeOf(figures.post, 2)} | ${(median(figures.post) / limit).toFixed(2)} × their sum; goal ≤ 3 |`,
    '',
  ].join('\n'),
)
