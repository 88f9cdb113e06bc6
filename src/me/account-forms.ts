// What the forms of the account page do, but for keys and applications of one's own.
import type { FastifyInstance } from 'fastify'
import type { GrantedApplications } from '../auth/granted-applications.ts'
import type { Sessions } from '../auth/sessions.ts'
import type { Db } from '../database/database.ts'
import { refuse } from '../errors.ts'
import type { Recovery } from '../sign-in/recovery.ts'
import type { AccountPage } from './account-page.ts'
import { doerOf } from '../auth/guard.ts'
import { changeMails } from './mails.ts'

export interface AccountFormsDependencies {
  readonly db: Db
  readonly now: () => number
  readonly account: AccountPage
  readonly recovery: Recovery
  readonly sessions: Sessions
  readonly grantedApplications: GrantedApplications
}

export function registerAccountForms(
  app: FastifyInstance,
  { db, now, account, recovery, sessions, grantedApplications }: AccountFormsDependencies,
): void {
  account.form(app, '/account/name', 'profile', async (person, fields) => {
    await recovery.changeName(person, fields.get('displayName') ?? '')
    return 'name-changed'
  })

  account.form(app, '/account/email', 'profile', async (person, fields) => {
    const email = fields.get('email') ?? ''
    const isChanged = await recovery.changeEmail(person, email, fields.get('password') ?? '')
    return isChanged ? 'email-changed' : 'email-confirm'
  })

  account.form(app, '/account/mails', 'profile', async (person, fields) => {
    const mails = fields.get('mails') === 'on' ? 'on' : 'off'
    await changeMails(db, person, { mails, at: now() })
    return mails === 'on' ? 'mails-on' : 'mails-off'
  })

  account.form(app, '/account/password', 'password', async (person, fields) => {
    await recovery.changePassword(person, fields.get('current') ?? '', fields.get('password') ?? '')
    return 'password-changed'
  })

  account.form(app, '/account/sessions/end', 'sessions', async (person, fields) => {
    const isEnded = await sessions.revoke(person.accountId, fields.get('session') ?? '', doerOf(person))
    if (!isEnded) throw refuse('invalid-session-id', { detail: 'That browser is signed out already.' })
    return 'session-ended'
  })

  account.form(app, '/account/sessions/end-others', 'sessions', async (person) => {
    await sessions.revokeOthers(person.accountId, person.sessionId, doerOf(person))
    return 'others-ended'
  })

  account.form(app, '/account/apps/revoke', 'apps', async (person, fields) => {
    await grantedApplications.revoke(person.accountId, fields.get('clientId') ?? '', doerOf(person))
    return 'app-revoked'
  })
}
