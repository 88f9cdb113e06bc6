// /v2/admin/clients: every registered application (contract, Part D).
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { auditActorOf, permit } from '../auth/guard.ts'
import {
  changeClient,
  registerClient,
  removeClient,
  rotateClientSecret,
  type ClientEditor,
} from '../auth/oauth/oauth-clients.ts'
import { listClients, type ClientRow } from '../auth/oauth/oauth-clients-table.ts'
import { scopeWords } from '../auth/scopes.ts'
import {
  AdminClientSet,
  ClientPatch,
  ClientSecret,
  MadeClient,
  NewAdminClient,
} from '../shared/v2/admin-schemas.ts'
import { writeTimestamp } from '../shared/v2/timestamps.ts'
import type { Db } from '../database/database.ts'
import { v2Operation } from '../http/openapi/openapi.ts'
import { idQuery, pageQuery, queryId, readPage, sendPage } from '../http/paging.ts'
import { secretly } from '../http/representation.ts'
import { createBodyReader } from '../http/bodies/v2-body.ts'

export interface ClientEndpointsDependencies {
  readonly db: Db
  readonly now: () => number
  readonly publicUrl: string
}

const reading = { access: { credential: 'bearer', action: 'view-administration' } } as const
const writing = { access: { credential: 'bearer', action: 'administer' } } as const

const show = ({ id, accountId, name, scope, createdAt, ...row }: ClientRow & { publisher: string }) => ({
  clientId: id,
  name,
  acctID: accountId,
  publisher: row.publisher,
  scopes: scopeWords(scope),
  redirectUris: JSON.parse(row.redirectUris) as string[],
  isPublic: row.secretHash === null,
  isApproved: row.approvedAt !== null,
  createdAt: writeTimestamp(createdAt),
})

export function registerAdminClientEndpoints(
  app: FastifyInstance,
  { db, now, publicUrl }: ClientEndpointsDependencies,
): void {
  const readNew = createBodyReader(NewAdminClient)
  const readPatch = createBodyReader(ClientPatch)
  const changerOf = ({ actor }: FastifyRequest): ClientEditor => ({
    by: auditActorOf(actor),
    now: now(),
    mayApprove: true,
  })

  app.get(
    '/v2/admin/clients',
    {
      config: reading,
      schema: v2Operation({
        summary: 'List applications',
        description: 'All registered OAuth clients, newest first.',
        query: Type.Object({ acctID: idQuery(), ...pageQuery }),
        answer: AdminClientSet,
        refusals: ['forbidden', 'invalid-query'],
      }),
    },
    async (request, reply) => {
      permit(request.actor, 'view-administration')
      const { limit, after: cursor } = readPage(request, 2)
      const after = cursor && { createdAt: Number(cursor[0]) || 0, id: cursor[1] ?? '' }
      const rows = await listClients(db, { accountId: queryId(request, 'acctID'), after, limit: limit + 1 })
      const cursorOf = ({ createdAt, id }: ClientRow) => [createdAt, id]
      return sendPage(request, reply, { rows, limit, show, cursorOf, publicUrl })
    },
  )

  app.post(
    '/v2/admin/clients',
    {
      config: writing,
      schema: v2Operation({
        summary: 'Register an application',
        description: 'The account is its owner. The secret of a confidential client is shown only once.',
        body: NewAdminClient,
        status: 201,
        answer: MadeClient,
        refusals: ['forbidden', 'invalid-account-id', 'read-only'],
      }),
    },
    async (request, reply) => {
      permit(request.actor, 'administer')
      const { acctID, name, scopes, redirectUris = [], isPublic = false } = await readNew(request)
      const client = { accountId: acctID, name, scope: scopes.join(' '), redirectUris, isPublic }
      const by = auditActorOf(request.actor)
      return secretly(reply)
        .code(201)
        .send(await registerClient(db, { ...client, now: now(), by, isApproved: true }))
    },
  )

  app.patch<{ Params: { clientId: string } }>(
    '/v2/admin/clients/:clientId',
    {
      config: writing,
      schema: v2Operation({
        summary: 'Change an application',
        description:
          'Its tokens keep only the scopes that are still registered. Approving it allows redirects of users who have not granted it access yet.',
        body: ClientPatch,
        refusals: ['forbidden', 'invalid-client-id', 'read-only'],
      }),
    },
    async (request, reply) => {
      permit(request.actor, 'administer')
      const { scopes, ...change } = await readPatch(request)
      const changer = changerOf(request)
      await changeClient(db, request.params.clientId, { ...change, scope: scopes?.join(' ') }, changer)
      return secretly(reply).code(204).send()
    },
  )

  app.post<{ Params: { clientId: string } }>(
    '/v2/admin/clients/:clientId/secret',
    {
      config: writing,
      schema: v2Operation({
        summary: 'Replace the secret of an application',
        description: 'The old secret and all tokens of the application stop working immediately.',
        status: 201,
        answer: ClientSecret,
        refusals: ['forbidden', 'invalid-client-id', 'invalid-field', 'read-only'],
      }),
    },
    async (request, reply) => {
      permit(request.actor, 'administer')
      const changer = changerOf(request)
      const clientSecret = await rotateClientSecret(db, request.params.clientId, changer)
      return secretly(reply).code(201).send({ clientSecret })
    },
  )

  app.delete<{ Params: { clientId: string } }>(
    '/v2/admin/clients/:clientId',
    {
      config: writing,
      schema: v2Operation({
        summary: 'Remove an application',
        description: 'Everything issued to it stops working immediately.',
        refusals: ['forbidden', 'invalid-client-id', 'read-only'],
      }),
    },
    async (request, reply) => {
      permit(request.actor, 'administer')
      await removeClient(db, request.params.clientId, changerOf(request))
      return secretly(reply).code(204).send()
    },
  )
}
