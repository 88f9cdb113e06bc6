// Our server for uploads, in a process of its own: `whole`, or with a maker of renditions that only records (`recording`).
import { createWriteStream } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createAccounts } from '../../src/accounts/accounts.ts'
import { createApp } from '../../src/app.ts'
import { registerClient } from '../../src/auth/oauth/oauth-clients.ts'
import { lifetimes } from '../../src/auth/oauth/oauth-offer.ts'
import { saveObject } from '../../src/auth/oauth/oauth-objects-table.ts'
import { hashId } from '../../src/auth/oauth/oauth-store.ts'
import { hashPassword } from '../../src/auth/passwords.ts'
import { readConfig } from '../../src/settings/config.ts'
import { loggerTo } from '../../src/http/server.ts'
import type { Examined, Renditions } from '../../src/imaging/renditions.ts'
import { openInstallation } from '../../src/installation.ts'
import { realSystem } from '../../src/system.ts'
import { createTrails } from '../../src/trails/trails.ts'
import { oursEnvironment } from './ours.ts'

/** What an upload costs grows with what its account has; these share what is sent. */
const people = 64
const trailId = 4711
const renewEveryMs = 300_000
const scope = 'images:read images:write'

/** What is told to the parent once the server listens. */
export interface UploadServerAddress {
  readonly port: number
  readonly path: string
  /** Of all who may upload. */
  readonly tokens: readonly string[]
}

/** Takes everything for the same photo, of which one very small rendition is kept. */
function recordingMaker(): Renditions {
  const bytes = Buffer.from('rendition')
  const digest = hashId(bytes.toString())
  const facts = {
    mimeType: 'image/jpeg',
    width: 4_000,
    height: 3_000,
    position: undefined,
    capture: {},
    dhash: '',
  }
  const examined: Examined = { ...facts, renditions: [{ name: 'sm.jpeg', bytes, digest }] }
  let jobs = 0
  return {
    jobsStarted: () => jobs,
    load: () => ({ running: 0, waiting: 0 }),
    examine: () => {
      jobs += 1
      return Promise.resolve(examined)
    },
    makeWebp: () => Promise.resolve([]),
    drawMarks: () => Promise.resolve([]),
    readTold: () => Promise.resolve(facts),
    close: () => Promise.resolve(),
  }
}

const [folder = '', maker = 'recording'] = process.argv.slice(2)
const config = readConfig({
  ...oursEnvironment(folder),
  // On, as they are: to know what an account has is a part of the work.
  QUOTA_PENDING_IMAGES: '1000000',
  QUOTA_BYTES: String(1024 ** 5),
  UPLOAD_MIN_BYTES_PER_SECOND: '0', // the slow ones are slow on purpose
})
const installation = await openInstallation(config, realSystem)
const { db } = installation.database
const accounts = createAccounts({ db, system: realSystem, hashPassword })
await createTrails(db, Date.now).importAll([{ id: trailId, name: 'Rim Trail', slug: undefined }])
const log = createWriteStream(`${folder}.log`)
const app = await createApp(installation, {
  logger: loggerTo(log, 'info'),
  ...(maker === 'whole' ? {} : { renditions: recordingMaker() }),
})
await app.server.listen({ port: 0, host: '127.0.0.1' })

/** No token may live longer than a quarter of an hour, and a run may. */
async function issue(token: string, accountId: number, clientId: string): Promise<void> {
  const payload = JSON.stringify({ accountId: String(accountId), clientId, scope })
  const object = { kind: 'AccessToken', idHash: hashId(token), grantId: null, userCode: null, uid: clientId }
  const expiresAt = Date.now() + 1_000 * lifetimes.AccessToken
  await saveObject(db, { ...object, payload, accountId, clientId, expiresAt })
}

async function tokenOf(index: number): Promise<string> {
  const person = { displayName: `Ann ${index}`, role: 'member', id: undefined, password: undefined } as const
  const accountId = await accounts.create({ ...person, email: `ann${index}@trails.example` })
  const registered = { name: 'bench', scope, now: Date.now(), isPublic: true, redirectUris: [] }
  const { clientId } = await registerClient(db, { ...registered, accountId })
  const token = `bench-token-${index}`
  await issue(token, accountId, clientId)
  setInterval(() => void issue(token, accountId, clientId), renewEveryMs).unref()
  return token
}

const tokens = await Promise.all(Array.from({ length: people }, (_, index) => tokenOf(index)))
const { port } = app.server.server.address() as AddressInfo
const address: UploadServerAddress = { port, path: `/Trails/${trailId}/Images`, tokens }
process.send?.(address)
process.once('disconnect', () => {
  void app.close().then(() => installation.close())
})
