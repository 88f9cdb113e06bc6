// The callers of the matrix: each has its own credential, and a fresh session for every request, since some end sessions.
import { registerClient } from '../../../src/auth/oauth/oauth-clients.ts'
import { scopes } from '../../../src/auth/scopes.ts'
import { createSessions } from '../../../src/auth/sessions.ts'
import type { Role } from '../../../src/database/schema.ts'
import { authorize } from '../../helpers/oauth-people.ts'
import { challengeOf, newVerifier } from '../../helpers/pkce.ts'
import { addSignedIn } from '../../helpers/visitor.ts'
import type { Waymark } from '../../helpers/waymark.ts'

export const actors = {
  none: 'nobody',
  key: 'an API key of a member',
  ir: 'a member by token of an own client with the scope images:read alone',
  iw: 'the same with images:write alone',
  iv: 'the same with images:review alone',
  rr: 'the same with routes:read alone',
  rw: 'the same with routes:write alone',
  tw: 'the same with trails:write alone',
  all: 'the same with every scope',
  app: 'a member by token of an application, with every scope but those of staff',
  rev: 'a reviewer by token with every scope',
  'rev-': 'a reviewer by token without images:review',
  lim: 'a reviewer who is limited to some trails, by token with every scope',
  adm: 'an admin by token with every scope',
  'adm-': 'an admin by token without trails:write',
  sM: 'a member, signed in, from a page of this site',
  sR: 'a reviewer, signed in',
  sL: 'a reviewer limited to some trails, signed in',
  sA: 'an admin, signed in',
  sX: 'an admin, signed in, from a page of another site',
  susT: 'a suspended admin by token with every scope',
  susS: 'a suspended admin, signed in',
  exp: 'a member by a token that has expired',
  page: 'nobody who is signed in, from a page of this site',
} as const

export type ActorName = keyof typeof actors

export interface Caller {
  readonly headers: Record<string, string>
  /** Undefined for anonymous callers, and for an account that is at its limits. */
  readonly accountId: number | undefined
}

export interface People {
  readonly member: number
  readonly other: number
  readonly onTrail: number
  readonly offTrail: number
  as(name: ActorName): Promise<Caller>
}

const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` })

/** Of an application with full consent of its own person. */
export async function applicationToken(waymark: Waymark, publisher: number) {
  const redirectUri = 'https://gallery.example/back'
  const { clientId } = await registerClient(waymark.installation.database.db, {
    accountId: publisher,
    name: 'Gallery',
    scope: scopes.join(' '),
    now: waymark.system.now(),
    isPublic: true,
    redirectUris: [redirectUri],
  })
  const person = await addSignedIn(waymark)
  const verifier = newVerifier()
  const request = new URL(`${waymark.installation.config.publicUrl}/oauth/authorize`)
  request.search = new URLSearchParams({
    client_id: clientId,
    response_type: 'code',
    redirect_uri: redirectUri,
    scope: scopes.join(' '),
    state: 'x',
    code_challenge: challengeOf(verifier),
    code_challenge_method: 'S256',
  }).toString()
  const back = await authorize(person, request)
  const answer = await waymark.fetch('/oauth/token', {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: clientId,
      code: back.searchParams.get('code') ?? '',
      code_verifier: verifier,
      redirect_uri: redirectUri,
    }),
  })
  const { access_token: token = '' } = (await answer.json()) as { access_token?: string }
  return { token, accountId: person.accountId }
}

export async function preparePeople(waymark: Waymark): Promise<People> {
  const { database, config } = waymark.installation
  const { db } = database
  const sessions = createSessions({ db, now: () => waymark.system.now(), publicUrl: config.publicUrl })
  const [onTrail, offTrail] = [await waymark.addTrail(101, 'On'), await waymark.addTrail(102, 'Off')]
  const expired = await waymark.addPerson()
  waymark.system.advance(3_600_000)

  const member = await waymark.addPerson()
  const other = await waymark.addPerson()
  const reviewer = await waymark.addPerson({ role: 'reviewer' })
  const limited = await waymark.addPerson({ role: 'reviewer' })
  const admin = await waymark.addPerson({ role: 'admin' })
  const suspended = await waymark.addPerson({ role: 'admin' })
  await db.insertInto('account_trail').values({ account_id: limited.accountId, trail_id: onTrail }).execute()
  const key = await waymark.addKey(member.accountId)
  const application = await applicationToken(waymark, other.accountId)

  async function session(accountId: number, role: Role, site = 'same-origin'): Promise<Caller> {
    const begun = await db
      .transaction()
      .execute((tx) =>
        sessions.begin(
          tx,
          { id: accountId, role },
          { accountId, via: 'session' },
          { browser: 'test', how: 'test' },
        ),
      )
    const origin = site === 'same-origin' ? new URL(config.publicUrl).origin : 'https://evil.example'
    const cookie = sessions.cookieOf(begun).split(';', 1)[0] ?? ''
    return { accountId, headers: { cookie, origin, 'sec-fetch-site': site } }
  }
  const suspendedSession = await session(suspended.accountId, 'admin')
  // Written directly to the table: whatever suspension does to credentials, remaining ones must not work either.
  await db.updateTable('account').set({ suspended_at: 1 }).where('id', '=', suspended.accountId).execute()

  const scoped = async (scope: string): Promise<Caller> => ({
    accountId: member.accountId,
    headers: bearer(await waymark.tokenFor(member.accountId, scope)),
  })
  const by = ({ accountId, token }: { accountId: number; token: string }): Caller => ({
    accountId,
    headers: bearer(token),
  })
  const without = scopes.filter((scope) => scope !== 'images:review').join(' ')
  const withoutTrails = scopes.filter((scope) => scope !== 'trails:write').join(' ')
  const kept: Partial<Record<ActorName, Caller>> = {
    none: { accountId: undefined, headers: {} },
    page: { accountId: undefined, headers: { 'sec-fetch-site': 'same-origin' } },
    key: { accountId: member.accountId, headers: { 'x-api-key': key } },
    ir: await scoped('images:read'),
    iw: await scoped('images:write'),
    iv: await scoped('images:review'),
    rr: await scoped('routes:read'),
    rw: await scoped('routes:write'),
    tw: await scoped('trails:write'),
    all: by(member),
    app: by(application),
    rev: by(reviewer),
    'rev-': by({ ...reviewer, token: await waymark.tokenFor(reviewer.accountId, without) }),
    lim: by(limited),
    adm: by(admin),
    'adm-': by({ ...admin, token: await waymark.tokenFor(admin.accountId, withoutTrails) }),
    susT: { ...by(suspended), accountId: undefined },
    susS: { ...suspendedSession, accountId: undefined },
    exp: by(expired),
  }

  const fresh: Partial<Record<ActorName, () => Promise<Caller>>> = {
    sM: () => session(member.accountId, 'member'),
    sR: () => session(reviewer.accountId, 'reviewer'),
    sL: () => session(limited.accountId, 'reviewer'),
    sA: () => session(admin.accountId, 'admin'),
    sX: () => session(admin.accountId, 'admin', 'cross-site'),
  }
  const requireKept = (name: ActorName): Caller => {
    const caller = kept[name]
    if (!caller) throw new Error(`no caller ${name}`)
    return caller
  }

  return {
    member: member.accountId,
    other: other.accountId,
    onTrail,
    offTrail,
    as: async (name) => fresh[name]?.() ?? requireKept(name),
  }
}
