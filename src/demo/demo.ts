// The demo: fills an empty installation with invented trails, people and photos, through the services that serve users.
//
//   empty ── begin ──→ begun ── fill, step by step ──→ begun ── secrets and mark in one transaction ──→ whole
//
// A fill that is cut off is gone on with at the next start; nobody could sign in to it meanwhile. Whatever holds
// something that is not of the demo is left alone.
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
import { ensureAccounts, people, personNames, type AccountIds } from './people.ts'
import { demoTrails, sentPhotos, type SentPhoto } from './story.ts'
import { geometryOf } from './trail-geometry.ts'
import { makeWalks } from './walks.ts'
import { againText, welcomeText, type Secrets } from './welcome.ts'

export interface DemoOptions {
  readonly installation: Installation
  /** Takes whole lines; secrets among them. */
  readonly say: (text: string) => void
  /** Once aborted, no further step is begun. */
  readonly stopping: AbortSignal
  /** For tests in a hurry: fewer trails. */
  readonly trails?: readonly DemoTrail[]
}

/** @returns when the demo was begun. @throws Error of one sentence where there is something that is not of the demo. */
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

/** The services read the time of the story, not of the wall; ids are as random as ever. */
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

/** The last step: after it the demo is whole, and its secrets have been told. */
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
    // Told before it is kept: a start that fails in between tells others at the next, and none is ever lost.
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
 * Makes sure that the demo is there.
 * @returns false where it was told to stop before the demo was whole; the next call goes on.
 * @throws Error of one sentence where the installation holds something else, and whatever the services refuse.
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
  // An app of its own, so that the one that will serve never sees the clock turned.
  const app = await createApp({ ...installation, system: clock.system })
  try {
    clock.set((sent[0]?.sentAt ?? begunAt) - dayMs)
    await createTrails(db, clock.system.now).importAll(
      trails.map((trail) => {
        const { id, name, description } = trail
        return { id, name, slug: undefined, description, geometries: [geometryOf(trail)] }
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
