// /v2/me, /v2/me/password and /v2/me/email: who one is here, and how one signs in.
import type { FastifyInstance } from 'fastify'
import { findProfile, type Profile } from '../accounts/account-table.ts'
import type { KnownDevices } from '../auth/known-devices.ts'
import { EmailChange, EmailChanged, Me, MePatch, PasswordChange } from '../shared/v2/account-schemas.ts'
import type { Db } from '../database/database.ts'
import { refuse } from '../errors.ts'
import { v2Operation } from '../http/openapi/openapi.ts'
import { requireMatch, secretly } from '../http/representation.ts'
import { createBodyReader } from '../http/bodies/v2-body.ts'
import type { Recovery } from '../sign-in/recovery.ts'
import { meDocument } from './documents.ts'
import { createMailChoices } from './mails.ts'
import { permitted, permittedPerson } from './person.ts'
import { manageAccess, selfAccess, sendDocument } from './v2-parts.ts'

export interface ProfileEndpointsDependencies {
  readonly db: Db
  readonly now: () => number
  readonly recovery: Recovery
  readonly devices: KnownDevices
}

/** @throws refusal `invalid-account-id`. */
async function requireProfile(db: Db, accountId: number): Promise<Profile> {
  const profile = await findProfile(db, accountId)
  if (!profile) throw refuse('invalid-account-id')
  return profile
}

export function registerProfileEndpoints(
  app: FastifyInstance,
  { db, now, recovery, devices }: ProfileEndpointsDependencies,
): void {
  const mailChoices = createMailChoices(db, now)
  const readPatch = createBodyReader(MePatch)
  const readPassword = createBodyReader(PasswordChange)
  const readEmail = createBodyReader(EmailChange)

  app.get(
    '/v2/me',
    {
      config: selfAccess,
      schema: v2Operation({
        summary: 'Get your account',
        description: 'The account of the token or session, with the scopes of that credential.',
        answer: Me,
        refusals: ['forbidden'],
      }),
    },
    async (request, reply) => {
      const actor = permitted(request, 'view-self')
      return sendDocument(request, reply, meDocument(await requireProfile(db, actor.accountId), actor))
    },
  )

  app.patch(
    '/v2/me',
    {
      config: manageAccess,
      schema: v2Operation({
        summary: 'Change your name, language or email preferences',
        description: 'Requires a browser session.',
        body: MePatch,
        answer: Me,
        refusals: ['forbidden', 'precondition-failed', 'read-only'],
      }),
    },
    async (request, reply) => {
      const person = permittedPerson(request, 'manage-own-account')
      const before = meDocument(await requireProfile(db, person.accountId), person)
      requireMatch(request.headers['if-match'], () => [JSON.stringify(before)])
      const { displayName, mails, language } = await readPatch(request)
      if (displayName !== undefined) await recovery.changeName(person, displayName)
      if (mails !== undefined) await mailChoices.changeMails(person, mails)
      if (language !== undefined) await mailChoices.changeLanguage(person, language)
      return sendDocument(request, reply, meDocument(await requireProfile(db, person.accountId), person))
    },
  )

  app.post(
    '/v2/me/password',
    {
      config: manageAccess,
      schema: v2Operation({
        summary: 'Change your password',
        description:
          'All other browsers are signed out and no longer trusted, and password reset links stop working.',
        body: PasswordChange,
        refusals: ['forbidden', 'wrong-password', 'read-only'],
      }),
    },
    async (request, reply) => {
      const person = permittedPerson(request, 'manage-own-account')
      const { current, password } = await readPassword(request)
      await recovery.changePassword(person, current, password)
      const cookie = await devices.remember(request.headers.cookie, person.accountId)
      return secretly(reply).header('Set-Cookie', cookie).code(204).send()
    },
  )

  app.put(
    '/v2/me/email',
    {
      config: manageAccess,
      schema: v2Operation({
        summary: 'Change your email address',
        description:
          'If the site can send email, the address changes after the link sent to the new address is opened; otherwise immediately.',
        body: EmailChange,
        answer: EmailChanged,
        refusals: ['forbidden', 'wrong-password', 'read-only'],
      }),
    },
    async (request, reply) => {
      const person = permittedPerson(request, 'manage-own-account')
      const { email: wanted, password } = await readEmail(request)
      const isChanged = await recovery.changeEmail(person, wanted, password)
      const { email } = await requireProfile(db, person.accountId)
      return secretly(reply).send({ email, status: isChanged ? 'changed' : 'confirmation-sent' })
    },
  )
}
