// /v2/me/sessions and /v2/me/apps: where one is signed in, and which applications may act in one's name.
import type { FastifyInstance } from 'fastify'
import type { GrantedApplications } from '../auth/oauth/granted-applications.ts'
import type { KnownDevices } from '../auth/known-devices.ts'
import type { Sessions } from '../auth/sessions.ts'
import { GrantedAppSet, SessionSet } from '../shared/v2/account-schemas.ts'
import { refuse } from '../errors.ts'
import { v2Operation } from '../http/openapi/openapi.ts'
import { appDocument, sessionDocument } from './documents.ts'
import { permittedPerson } from './person.ts'
import { auditActorOf } from '../auth/guard.ts'
import { secretly } from '../http/representation.ts'
import { manageAccess, sendSet, viewAccess } from './v2-parts.ts'

export interface SessionEndpointsDependencies {
  readonly sessions: Sessions
  readonly devices: KnownDevices
  readonly grantedApplications: GrantedApplications
}

export function registerSessionEndpoints(
  app: FastifyInstance,
  { sessions, devices, grantedApplications }: SessionEndpointsDependencies,
): void {
  app.get(
    '/v2/me/sessions',
    {
      config: viewAccess,
      schema: v2Operation({
        summary: 'List signed-in browsers',
        description: 'Newest first.',
        answer: SessionSet,
        refusals: ['forbidden'],
      }),
    },
    async (request, reply) => {
      const { accountId, sessionId } = permittedPerson(request, 'view-own-account')
      const rows = await sessions.list(accountId)
      return sendSet(
        request,
        reply,
        rows.map((row) => sessionDocument(row, sessionId)),
      )
    },
  )

  app.delete(
    '/v2/me/sessions',
    {
      config: manageAccess,
      schema: v2Operation({
        summary: 'Sign out all other browsers',
        description:
          'The session of this request stays. Other browsers are no longer known devices, so failed sign-ins from them are limited as from unknown devices.',
        refusals: ['forbidden', 'read-only'],
      }),
    },
    async (request, reply) => {
      const { accountId, sessionId } = permittedPerson(request, 'manage-own-account')
      await sessions.revokeOthers(accountId, sessionId, auditActorOf(request.actor))
      const cookie = await devices.remember(request.headers.cookie, accountId)
      return secretly(reply).header('Set-Cookie', cookie).code(204).send()
    },
  )

  app.delete<{ Params: { sessionId: string } }>(
    '/v2/me/sessions/:sessionId',
    {
      config: manageAccess,
      schema: v2Operation({
        summary: 'Sign out a browser',
        description: 'Takes effect immediately.',
        refusals: ['forbidden', 'invalid-session-id', 'read-only'],
      }),
    },
    async (request, reply) => {
      const { accountId } = permittedPerson(request, 'manage-own-account')
      const isEnded = await sessions.revoke(accountId, request.params.sessionId, auditActorOf(request.actor))
      if (!isEnded) throw refuse('invalid-session-id')
      return secretly(reply).code(204).send()
    },
  )

  app.get(
    '/v2/me/apps',
    {
      config: viewAccess,
      schema: v2Operation({
        summary: 'List authorized applications',
        description: 'Most recently authorized first.',
        answer: GrantedAppSet,
        refusals: ['forbidden'],
      }),
    },
    async (request, reply) => {
      const { accountId } = permittedPerson(request, 'view-own-account')
      return sendSet(request, reply, (await grantedApplications.list(accountId)).map(appDocument))
    },
  )

  app.delete<{ Params: { clientId: string } }>(
    '/v2/me/apps/:clientId',
    {
      config: manageAccess,
      schema: v2Operation({
        summary: 'Revoke access of an application',
        description: 'Its tokens for this account stop working immediately.',
        refusals: ['forbidden', 'invalid-client-id', 'read-only'],
      }),
    },
    async (request, reply) => {
      const { accountId } = permittedPerson(request, 'manage-own-account')
      await grantedApplications.revoke(accountId, request.params.clientId, auditActorOf(request.actor))
      return secretly(reply).code(204).send()
    },
  )
}
