// The demo: fills an empty installation with invented trails, people and photos, through the ordinary services.
//
// empty ── begin ──→ begun ── fill, step by step ──→ begun ── secrets and mark in one transaction ──→ complete
//
// An interrupted fill continues at the next start; nobody can sign in before it is complete. An installation with any
// other data is left alone.
import { randomBytes } from 'node:crypto'
import { findAccountByEmailKey } from '../accounts/account-table.ts'
import { createAccounts } from '../accounts/accounts.ts'
import { createApp } from '../app.ts'
import { createApiKeys } from '../auth/api-keys.ts'
import { registerClient } from '../auth/oauth/oauth-clients.ts'
import { hashPassword } from '../auth/passwords.ts'
import { scopes } from '../auth/scopes.ts'
import type { Db } from '../database/database.ts'
import { requireWritable } from '../database/read-only.ts'
import type { Installation } from '../installation.ts'
import type { System } from '../system.ts'
import { createTrails } from '../trails/trails.ts'
import { hasStrangers, isInUse, markBegun, markWhole, readMarks } from './demo-table.ts'
import type { DemoTrail, PersonName } from './demo-trail.ts'
import { createFill, type ImageIds } from './fill.ts'
import { groundOf } from './ground.ts'
import { ensureAccounts, people, personNames, type AccountIds } from './people.ts'
import { demoTrails, sentPhotos, type SentPhoto } from './story.ts'
import { makeWalks } from './walks.ts'
import { againText, welcomeText, type Secrets } from './welcome.ts'

export interface DemoOptions {
  readonly installation: Installation
  /** Writes whole lines, some with secrets. */
  readonly say: (text: string) => void
  /** Once aborted, no further step is started. */
  readonly stopping: AbortSignal
  /** For fast tests: fewer trails. */
  readonly trails?: readonly DemoTrail[]
}

/** @returns when the demo was begun. @throws Error of one sentence if there is other data. */
function begin(db: Db, now: number, trails: readonly DemoTrail[]): Promise<number> {
  const cast = {
    trailIds: trails.map(({ id }) => id),
    emails: personNames.map((name) => people[name].email),
  }
  return db.transaction().execute(async (tx) => {
    await requireWritable(tx)
    const { begunAt } = await readMarks(tx)
    const isTaken = begunAt === undefined ? await isInUse(tx) : await hasStrangers(tx, cast)
    if (isTaken) {
      throw new Error(
        'The demo requires an empty installation, but this one has other trails or accounts: set DATA_DIR to an empty folder.',
      )
    }
    if (begunAt === undefined) await markBegun(tx, now)
    return begunAt ?? now
  })
}

/** The services use the time of the story; ids are random as usual. */
function createStoryClock(system: System) {
  let time = system.now()
  const clocked: System = { ...system, now: () => time }
  return {
    system: clocked,
    set: (to: number) => {
      time = to
    },
  }
}

const dayMs = 86_400_000

/** GeoJSON has longitude first. */
const newPassword = (): string => randomBytes(12).toString('base64url')

async function makeSecrets(db: Db, system: System, ids: AccountIds): Promise<Secrets> {
  const now = () => system.now()
  const accounts = createAccounts({ db, system, hashPassword })
  const passwords = Object.fromEntries(personNames.map((name) => [name, newPassword()]))
  for (const name of personNames) await accounts.setPassword(ids[name], passwords[name] ?? '')
  const accountId = ids.admin
  const { apiKey } = await createApiKeys(db, now).create(accountId, { name: 'demo' })
  const client = {
    accountId,
    name: 'demo',
    scope: scopes.join(' '),
    now: now(),
    isPublic: false,
    redirectUris: [],
  }
  const { clientId, clientSecret = '' } = await registerClient(db, client)
  return { passwords: passwords as Record<PersonName, string>, apiKey, clientId, clientSecret }
}

/** The last step: afterwards the demo is complete, and its secrets have been shown. */
async function finish(
  options: DemoOptions,
  ids: AccountIds,
  {
    sent,
    imageIds,
    clippedRouteId,
  }: {
    readonly sent: readonly SentPhoto[]
    readonly imageIds: ImageIds
    readonly clippedRouteId: number | undefined
  },
) {
  const { installation, say } = options
  const { config, database, system } = installation
  const imageOf = (fate: 'approved' | 'pending') =>
    imageIds[sent.findIndex(({ photo }) => photo.fate.is === fate)] ?? 0
  await database.db.transaction().execute(async (tx) => {
    const secrets = await makeSecrets(tx, system, ids)
    await markWhole(tx, system.now())
    // Shown before they are stored: if the start fails in between, the next one creates and shows others.
    say(
      welcomeText(secrets, {
        publicUrl: config.publicUrl,
        imageHandlerUrl: config.imageHandlerUrl,
        trailId: sent[0]?.trail.id ?? 0,
        listedImageId: imageOf('approved'),
        pendingImageId: imageOf('pending'),
        adminId: ids.admin,
        clippedRouteId,
      }),
    )
  })
}

/**
 * Completes the demo.
 * @returns false if it was stopped before it was complete; the next call continues.
 * @throws Error of one sentence if the installation has other data, and refusals of the services.
 */
export async function ensureDemo(options: DemoOptions): Promise<boolean> {
  const { installation, say, stopping, trails = demoTrails } = options
  const { database, system } = installation
  const { db } = database
  if ((await readMarks(db)).isWhole) {
    const admin = await findAccountByEmailKey(db, people.admin.email)
    say(againText(admin?.id))
    return true
  }
  const begunAt = await begin(db, system.now(), trails)
  const sent = sentPhotos(trails, begunAt)
  const clock = createStoryClock(system)
  // A separate app, so that the served one never uses the clock of the story.
  const app = await createApp({ ...installation, system: clock.system })
  try {
    clock.set((sent[0]?.sentAt ?? begunAt) - dayMs)
    await createTrails(db, clock.system.now).importAll(
      trails.map((trail) => {
        const { id, name, description } = trail
        return { id, name, slug: undefined, description, geometries: [groundOf(trail)] }
      }),
    )
    const ids = await ensureAccounts(db, createAccounts({ db, system: clock.system, hashPassword }))
    const fill = createFill({
      services: app.services,
      ids,
      setClock: clock.set,
      say: (sentence) => say(`${sentence}\n`),
      stopping,
    })
    const imageIds = await fill(sent)
    if (!imageIds) return false
    const { accountRoutes } = app.services
    const clippedRouteId = await makeWalks({ accountRoutes, ids, trails, begunAt, setClock: clock.set })
    await finish(options, ids, { sent, imageIds, clippedRouteId })
    return true
  } finally {
    await app.close()
  }
}
