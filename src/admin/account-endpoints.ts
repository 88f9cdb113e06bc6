// /v2/admin/accounts and /v2/admin/invitations: finding accounts, roles, suspension, links to get in (contract, Part D).
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Accounts } from '../accounts/accounts.ts'
import { auditActorOf, permit } from '../auth/guard.ts'
import { parseId } from '../shared/classic/classic-paths.ts'
import { writeTimestamp } from '../shared/v2/timestamps.ts'
import {
  AccountPatch,
  AdminAccount,
  AdminAccountSet,
  InvitationSet,
  Link,
  MadeInvitation,
  NewAccount,
  NewInvitation,
  type AdminAccountDocument,
} from '../shared/v2/admin-schemas.ts'
import { v2Operation } from '../http/openapi/openapi.ts'
import { pageQuery, queryText, queryWord, readPage, sendPage } from '../http/paging.ts'
import { secretly, sendRepresentation } from '../http/representation.ts'
import { createBodyReader } from '../http/bodies/v2-body.ts'
import type { JoiningService } from '../sign-in/joining.ts'
import { accountLanguageOf } from '../sign-in/page-parts.ts'
import type { Recovery } from '../sign-in/recovery.ts'
import type { AdminAccount as Account } from './account-list.ts'
import type { Administration } from './administration.ts'
import { stringEnum } from '../shared/v2/schema-parts.ts'

export interface AccountEndpointsDependencies {
  readonly administration: Administration
  readonly accounts: Accounts
  readonly joining: JoiningService
  readonly recovery: Recovery
  readonly publicUrl: string
}

const reading = { access: { credential: 'bearer', action: 'view-administration' } } as const
const writing = { access: { credential: 'bearer', action: 'administer' } } as const

function show(account: Account): AdminAccountDocument {
  const { id, displayName, email, role, trails, hasPassword } = account
  return {
    acctID: id,
    displayName,
    email,
    emailVerified: account.emailVerifiedAt !== null,
    role,
    trails: trails.length === 0 ? null : trails,
    suspended: account.suspendedAt !== null,
    trusted: account.trustedAt !== null,
    hasPassword,
    unclaimed: account.unclaimedAt !== null,
    createdAt: writeTimestamp(account.createdAt),
  }
}

function registerAccounts(app: FastifyInstance, dependencies: AccountEndpointsDependencies): void {
  const { administration, accounts, recovery, publicUrl } = dependencies
  const readNew = createBodyReader(NewAccount)
  const readPatch = createBodyReader(AccountPatch)
  const query = Type.Object({
    q: Type.Optional(Type.String({ description: 'Part of the name or email address, or the acctID.' })),
    role: Type.Optional(stringEnum(['member', 'reviewer', 'admin'])),
    suspended: Type.Optional(stringEnum(['true', 'false'])),
    ...pageQuery,
  })

  app.get(
    '/v2/admin/accounts',
    {
      config: reading,
      schema: v2Operation({
        summary: 'List accounts',
        description: 'For admins with a browser session. Ordered by acctID.',
        query,
        answer: AdminAccountSet,
        refusals: ['forbidden', 'invalid-query'],
      }),
    },
    async (request, reply) => {
      permit(request.actor, 'view-administration')
      const { limit, after } = readPage(request, 1)
      const suspended = queryWord(request, 'suspended', ['true', 'false'])
      const filters = {
        q: queryText(request, 'q'),
        role: queryWord(request, 'role', ['member', 'reviewer', 'admin']),
        isSuspended: suspended === undefined ? undefined : suspended === 'true',
        afterId: after === undefined ? undefined : (parseId(after[0] ?? '') ?? 0),
      }
      const rows = await administration.list(filters, limit + 1)
      return sendPage(request, reply, { rows, limit, show, cursorOf: ({ id }) => [id], publicUrl })
    },
  )

  app.post(
    '/v2/admin/accounts',
    {
      config: writing,
      schema: v2Operation({
        summary: 'Create an account',
        description:
          'Without a password: the owner signs in with a reset link. You can set the acctID of an existing site.',
        body: NewAccount,
        status: 201,
        answer: AdminAccount,
        refusals: ['forbidden', 'read-only'],
      }),
    },
    async (request, reply) => {
      permit(request.actor, 'administer')
      const { email, displayName, role = 'member', acctID } = await readNew(request)
      const account = { email, displayName, role, id: acctID, password: undefined }
      const id = await accounts.create(account, auditActorOf(request.actor))
      return secretly(reply)
        .code(201)
        .send(show(await administration.require(id)))
    },
  )

  app.get<{ Params: { acctID: string } }>(
    '/v2/admin/accounts/:acctID',
    {
      config: reading,
      schema: v2Operation({
        ids: ['acctID'],
        summary: 'Get an account',
        description: 'For admins with a browser session.',
        answer: AdminAccount,
        refusals: ['forbidden', 'invalid-account-id'],
      }),
    },
    async (request, reply) => {
      permit(request.actor, 'view-administration')
      const account = await administration.require(parseId(request.params.acctID))
      const body = JSON.stringify(show(account))
      return sendRepresentation(request, reply, { mediaType: 'application/json', body })
    },
  )

  app.patch<{ Params: { acctID: string } }>(
    '/v2/admin/accounts/:acctID',
    {
      config: writing,
      schema: v2Operation({
        ids: ['acctID'],
        summary: 'Change role, trails, suspension or trust; give an unclaimed account an address',
        description:
          'Suspending ends all sessions and tokens immediately, and API keys stop working. A reviewer may be limited to trails. Photos of a trusted account, and its edits, are published without review. Only an unclaimed account may be given an email address, to which a link to claim it is sent if the site can send email.',
        body: AccountPatch,
        answer: AdminAccount,
        refusals: ['forbidden', 'invalid-account-id', 'last-admin', 'read-only'],
      }),
    },
    async (request, reply) => {
      permit(request.actor, 'administer')
      const id = parseId(request.params.acctID)
      await administration.require(id)
      const { trails, ...rest } = await readPatch(request)
      const by = auditActorOf(request.actor)
      await administration.change(id, { ...rest, trails: trails === null ? [] : trails }, by)
      const changed = await administration.require(id)
      if (rest.email !== undefined && changed.unclaimedAt !== null) await recovery.mailClaim(changed.id, by)
      return secretly(reply).send(show(changed))
    },
  )

  app.post<{ Params: { acctID: string } }>(
    '/v2/admin/accounts/:acctID/reset-link',
    {
      config: writing,
      schema: v2Operation({
        ids: ['acctID'],
        summary: 'Create a password reset link',
        description:
          'Works once, within an hour. Earlier links keep working until one of them is used. Give it only to the owner of the account.',
        status: 201,
        answer: Link,
        refusals: ['forbidden', 'invalid-account-id', 'invalid-field', 'read-only'],
      }),
    },
    async (request, reply) => {
      permit(request.actor, 'administer')
      const { id } = await administration.require(parseId(request.params.acctID))
      const url = await recovery.makeResetLink(id, auditActorOf(request.actor))
      return secretly(reply).code(201).send({ url })
    },
  )
}

function registerInvitations(
  app: FastifyInstance,
  { joining, publicUrl }: AccountEndpointsDependencies,
): void {
  const readInvitation = createBodyReader(NewInvitation)

  app.get(
    '/v2/admin/invitations',
    {
      config: reading,
      schema: v2Operation({
        summary: 'List invitations',
        description: 'Open invitations, newest first.',
        answer: InvitationSet,
        refusals: ['forbidden'],
      }),
    },
    async (request, reply) => {
      permit(request.actor, 'view-administration')
      const rows = await joining.listInvitations()
      return sendPage(request, reply, {
        rows,
        limit: rows.length,
        show: ({ createdAt, expiresAt, ...row }) => ({
          ...row,
          createdAt: writeTimestamp(createdAt),
          expiresAt: writeTimestamp(expiresAt),
        }),
        cursorOf: ({ id }) => [id],
        publicUrl,
      })
    },
  )

  app.post(
    '/v2/admin/invitations',
    {
      config: writing,
      schema: v2Operation({
        summary: 'Invite someone',
        description:
          'Creates a link to sign up with this email address and role, sent by email if the site can send email.',
        body: NewInvitation,
        status: 201,
        answer: MadeInvitation,
        refusals: ['forbidden', 'sign-up-closed', 'read-only'],
      }),
    },
    async (request, reply) => {
      permit(request.actor, 'administer')
      const { email, role = 'member' } = await readInvitation(request)
      const { id, link, expiresAt } = await joining.invite(
        email,
        role,
        auditActorOf(request.actor),
        accountLanguageOf(request),
      )
      return secretly(reply)
        .code(201)
        .send({ id, email, role, expiresAt: writeTimestamp(expiresAt), url: link })
    },
  )

  app.delete<{ Params: { invitation: string } }>(
    '/v2/admin/invitations/:invitation',
    {
      config: writing,
      schema: v2Operation({
        summary: 'Revoke an invitation',
        description: 'Its link no longer works.',
        refusals: ['forbidden', 'not-found', 'read-only'],
      }),
    },
    async (request, reply) => {
      permit(request.actor, 'administer')
      await joining.revokeInvitation(request.params.invitation, auditActorOf(request.actor))
      return secretly(reply).code(204).send()
    },
  )
}

export function registerAdminAccountEndpoints(
  app: FastifyInstance,
  dependencies: AccountEndpointsDependencies,
): void {
  registerAccounts(app, dependencies)
  registerInvitations(app, dependencies)
}
