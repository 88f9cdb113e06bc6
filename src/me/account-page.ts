// The page /account: everything that a person may know and change about their own account, without scripts.
import { randomUUID } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ApiKeys } from '../auth/api-keys.ts'
import type { GrantedApplications } from '../auth/granted-applications.ts'
import type { Passkeys } from '../auth/passkeys.ts'
import type { Sessions } from '../auth/sessions.ts'
import type { Db } from '../database/database.ts'
import { Refusal, refusals } from '../errors.ts'
import { readForm } from '../http/form-body.ts'
import { pageAccess, passkeyScripts, personOf, viewerOf } from '../sign-in/page-parts.ts'
import { html, type Html } from '../site/html.ts'
import type { Site } from '../site/site.ts'
import type { AccountView, PageState } from './account-view.ts'
import { doneCodeIn, doneMessages, type DoneCode, type SectionName } from './done-messages.ts'
import type { OwnClients } from './own-clients.ts'
import type { Person } from '../sign-in/page-parts.ts'
import { clientsSection } from './sections/clients.ts'
import { keysSection } from './sections/keys.ts'
import { passkeySection } from './sections/passkeys.ts'
import { passwordSection, profileSection } from './sections/profile.ts'
import { appsSection, sessionsSection } from './sections/sessions.ts'
import { requireProfile } from './v2-profile.ts'

export interface AccountPageDependencies {
  readonly db: Db
  readonly site: Site
  readonly now: () => number
  readonly apiKeys: ApiKeys
  readonly sessions: Sessions
  readonly passkeys: Passkeys
  readonly grantedApplications: GrantedApplications
  readonly ownClients: OwnClients
}

export type Fields = ReadonlyMap<string, string>

/** A page that shows a secret: it is the answer itself, since no redirect may carry one. */
export interface SecretPage {
  readonly title: string
  readonly body: Html
}

/** What the path names: whichever of them it has. */
export interface PathWords {
  readonly prefix: string
  readonly clientId: string
}

/** What a form came to. */
export type Outcome = DoneCode | SecretPage

/** Refusals that are told where the form stands; any other has a page of its own. */
const told: ReadonlySet<string> = new Set([
  'invalid-field',
  'wrong-password',
  'stale-session',
  'invalid-passkey-id',
  'last-passkey',
  'quota-reached',
  'already-done',
  'invalid-key-prefix',
  'invalid-client-id',
  'invalid-session-id',
])

/** @throws whatever else it was. */
export function toldRefusal(error: unknown): Refusal {
  if (error instanceof Refusal && told.has(error.code)) return error
  throw error
}

function accountBody(view: AccountView): Html {
  return html`${profileSection(view)} ${passwordSection(view)} ${passkeySection(view)}
  ${sessionsSection(view)} ${keysSection(view)} ${appsSection(view)} ${clientsSection(view)}`
}

export function createAccountPage(dependencies: AccountPageDependencies) {
  const { db, site, now, apiKeys, sessions, passkeys, grantedApplications, ownClients } = dependencies

  async function show(
    request: FastifyRequest,
    reply: FastifyReply,
    person: Person,
    state: PageState,
  ): Promise<FastifyReply> {
    const { accountId } = person
    const view: AccountView = {
      ...state,
      site,
      person,
      now: now(),
      once: randomUUID(),
      profile: await requireProfile(db, accountId),
      sessions: await sessions.list(accountId),
      passkeys: await passkeys.list(accountId),
      offersPasskeys: passkeys.isOffered,
      keys: await apiKeys.list(accountId),
      apps: await grantedApplications.list(accountId),
      clients: await ownClients.list(accountId),
    }
    return site.send(reply, {
      title: 'Your account',
      status: state.problem === undefined ? 200 : refusals[state.problem.refusal.code].status,
      viewer: viewerOf(request),
      scripts: passkeys.isOffered ? passkeyScripts : [],
      body: accountBody(view),
    })
  }

  const redirect = (reply: FastifyReply, path: string): FastifyReply =>
    reply.header('Cache-Control', 'no-store').redirect(site.href(path), 303)

  const page = {
    site,
    show,

    /** Back to the account, saying what was done. */
    goBack: (reply: FastifyReply, done: DoneCode): FastifyReply =>
      redirect(reply, `/account?done=${done}#${doneMessages[done].section}`),

    /** Registers a page that takes somebody signed in; anybody else signs in first and comes back. */
    page: (
      app: FastifyInstance,
      path: string,
      handle: (
        person: Person,
        request: FastifyRequest<{ Params: PathWords }>,
        reply: FastifyReply,
      ) => Promise<FastifyReply>,
    ): void => {
      app.get<{ Params: PathWords }>(path, { config: pageAccess }, async (request, reply) => {
        const person = personOf(request.actor)
        if (person) return handle(person, request, reply)
        return redirect(reply, `/sign-in?next=${encodeURI(request.url.split('?')[0] ?? '/account')}`)
      })
    },

    /** Registers what a form of the section does. */
    form: (
      app: FastifyInstance,
      path: string,
      section: SectionName,
      act: (person: Person, fields: Fields, params: PathWords) => Promise<Outcome>,
    ): void => {
      app.post<{ Params: PathWords }>(path, { config: pageAccess }, async (request, reply) => {
        const person = personOf(request.actor)
        if (!person) return redirect(reply, '/sign-in?next=/account')
        const fields = await readForm(request)
        try {
          const outcome = await act(person, fields, request.params)
          if (typeof outcome === 'string') return page.goBack(reply, outcome)
          return site.send(reply, { ...outcome, viewer: viewerOf(request) })
        } catch (error) {
          return show(request, reply, person, {
            problem: { section, refusal: toldRefusal(error), fields },
          })
        }
      })
    },
  }

  return {
    ...page,
    register: (app: FastifyInstance): void => {
      page.page(app, '/account', (person, request, reply) =>
        show(request, reply, person, { done: doneCodeIn(request.query) }),
      )
    },
  }
}

export type AccountPage = ReturnType<typeof createAccountPage>
