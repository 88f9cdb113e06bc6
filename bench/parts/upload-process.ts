// Our server for uploads, in its own process: `whole`, or with a rendition maker that only records (`recording`). It may
// be one of several nodes with a shared database.
import { createWriteStream } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createAccounts } from '../../src/accounts/accounts.ts'
import { createApp } from '../../src/app.ts'
import { registerClient } from '../../src/auth/oauth/oauth-clients.ts'
import { lifetimes } from '../../src/auth/oauth/oauth-offer.ts'
import { saveObject } from '../../src/auth/oauth/oauth-objects-table.ts'
import { hashId } from '../../src/auth/oauth/oauth-store.ts'
import { hashPassword } from '../../src/auth/passwords.ts'
import { readConfig, type Environment } from '../../src/settings/config.ts'
import { loggerTo } from '../../src/http/server.ts'
import { openInstallation } from '../../src/installation.ts'
import { realSystem } from '../../src/system.ts'
import { createTrails } from '../../src/trails/trails.ts'
import { oursEnvironment } from './ours.ts'
import { recordingMaker } from './recording-maker.ts'

/** The cost of an upload grows with what its account has, so uploads are spread over several accounts. */
const people = 64
const firstTrail = 4711
const renewEveryMs = 300_000
const scope = 'images:read images:write'

/** Sent to the parent once the server listens. */
export interface UploadServerAddress {
  readonly port: number
  /** One per trail; there are as many trails as accounts. */
  readonly paths: readonly string[]
  /** Tokens of all uploaders. */
  readonly tokens: readonly string[]
}

const [folder = '', maker = 'recording', settings = '{}'] = process.argv.slice(2)
const config = readConfig({
  ...oursEnvironment(folder),
  // Quotas stay on, since counting is part of the work.
  QUOTA_PENDING_IMAGES: '1000000',
  QUOTA_BYTES: String(1024 ** 5),
  UPLOAD_MIN_BYTES_PER_SECOND: '0', // some uploads are slow on purpose
  ...(JSON.parse(settings) as Environment),
})
const installation = await openInstallation(config, realSystem)
const { db } = installation.database
const accounts = createAccounts({ db, system: realSystem, hashPassword })
const trailIds = Array.from({ length: people }, (_, index) => firstTrail + index)
await createTrails(db, Date.now).importAll(
  trailIds.map((id) => ({ id, name: `Rim Trail ${id}`, slug: undefined })),
)
const log = createWriteStream(`${folder}.log`)
const app = await createApp(installation, {
  logger: loggerTo(log, 'info'),
  ...(maker === 'whole' ? {} : { renditions: recordingMaker() }),
})
await app.server.listen({ port: 0, host: '127.0.0.1' })

interface Issued {
  readonly token: string
  readonly accountId: number
  readonly clientId: string
}

async function issue({ token, accountId, clientId }: Issued): Promise<void> {
  const payload = JSON.stringify({ accountId: String(accountId), clientId, scope })
  const object = { kind: 'AccessToken', idHash: hashId(token), grantId: null, userCode: null, uid: clientId }
  const expiresAt = Date.now() + 1_000 * lifetimes.AccessToken
  await saveObject(db, { ...object, payload, accountId, clientId, expiresAt })
}

async function issueFor(index: number): Promise<Issued> {
  const person = { displayName: `Ann ${index}`, role: 'member', id: undefined, password: undefined } as const
  const accountId = await accounts.create({ ...person, email: `ann${index}.${process.pid}@trails.example` })
  const registered = { name: 'bench', scope, now: Date.now(), isPublic: true, redirectUris: [] }
  const { clientId } = await registerClient(db, { ...registered, accountId })
  const issued = { token: `bench-token-${process.pid}-${index}`, accountId, clientId }
  await issue(issued)
  return issued
}

const issued: Issued[] = []
for (let index = 0; index < people; index += 1) issued.push(await issueFor(index))

/**
 * A token lives for at most 15 minutes, but a run may take longer. If too many writes are waiting, it is renewed the next
 * time.
 */
async function renew(): Promise<void> {
  for (const one of issued) await issue(one).catch(() => undefined)
}

setInterval(() => void renew(), renewEveryMs).unref()
const tokens = issued.map(({ token }) => token)
const { port } = app.server.server.address() as AddressInfo
const address: UploadServerAddress = { port, paths: trailIds.map((id) => `/Trails/${id}/Images`), tokens }
process.send?.(address)
process.once('disconnect', () => {
  void app.close().then(() => installation.close())
})
