// /v2/me/clients: the applications that the account itself has registered and answers for (contract C29).
import type { FastifyInstance } from 'fastify'
import {
  MadeOwnClient,
  NewOwnClient,
  OwnClient,
  OwnClientPatch,
  OwnClientSecret,
  OwnClientSet,
} from '../shared/v2/account-schemas.ts'
import { makesSecretOnce, v2Operation } from '../http/openapi/openapi.ts'
import { requireMatch, secretly } from '../http/representation.ts'
import { createBodyReader } from '../http/bodies/v2-body.ts'
import { clientDocument } from './documents.ts'
import type { Once } from './once.ts'
import type { OwnClients } from './own-clients.ts'
import { permittedPerson } from './person.ts'
import { idempotencyKeyOf, manageAccess, sendDocument, sendSet, viewAccess } from './v2-parts.ts'

export interface ClientEndpointsDependencies {
  readonly ownClients: OwnClients
  readonly once: Once
}

type WithClient = { Params: { clientId: string } }

const changing = ['forbidden', 'invalid-client-id', 'precondition-failed', 'read-only'] as const
const makingSecret = [
  'forbidden',
  'invalid-header',
  'already-done',
  'idempotency-key-reused',
  'read-only',
] as const

export function registerOwnClientEndpoints(
  app: FastifyInstance,
  { ownClients, once }: ClientEndpointsDependencies,
): void {
  const readNew = createBodyReader(NewOwnClient)
  const readPatch = createBodyReader(OwnClientPatch)

  app.get(
    '/v2/me/clients',
    {
      config: viewAccess,
      schema: v2Operation({
        summary: 'List your applications',
        description: 'Applications registered by the account, newest first.',
        answer: OwnClientSet,
        refusals: ['forbidden'],
      }),
    },
    async (request, reply) => {
      const { accountId } = permittedPerson(request, 'view-own-account')
      return sendSet(request, reply, (await ownClients.list(accountId)).map(clientDocument))
    },
  )

  app.post(
    '/v2/me/clients',
    {
      config: manageAccess,
      schema: {
        ...v2Operation({
          summary: 'Register an application',
          description: 'The secret of a confidential client is shown only once. An account may have 50.',
          body: NewOwnClient,
          status: 201,
          answer: MadeOwnClient,
          refusals: [...makingSecret, 'quota-reached'],
        }),
        ...makesSecretOnce,
      },
    },
    async (request, reply) => {
      const person = permittedPerson(request, 'manage-own-account')
      const key = idempotencyKeyOf(request)
      const body = await readNew(request)
      const { name, scopes, redirectUris = [], isPublic = false } = body
      const { accountId } = person
      const alongside = once({ accountId, path: '/v2/me/clients', key, body })
      const wanted = { name, scopes, redirectUris, isPublic }
      const { clientId, clientSecret } = await ownClients.register(person, wanted, alongside)
      const client = clientDocument(await ownClients.require(accountId, clientId))
      return secretly(reply)
        .code(201)
        .send({ ...client, ...(clientSecret === undefined ? {} : { clientSecret }) })
    },
  )

  app.get<WithClient>(
    '/v2/me/clients/:clientId',
    {
      config: viewAccess,
      schema: v2Operation({
        summary: 'Get your application',
        description: 'Without its secret.',
        answer: OwnClient,
        refusals: ['forbidden', 'invalid-client-id'],
      }),
    },
    async (request, reply) => {
      const { accountId } = permittedPerson(request, 'view-own-account')
      const client = await ownClients.require(accountId, request.params.clientId)
      return sendDocument(request, reply, clientDocument(client))
    },
  )

  app.patch<WithClient>(
    '/v2/me/clients/:clientId',
    {
      config: manageAccess,
      schema: v2Operation({
        summary: 'Change your application',
        description: 'Its tokens keep only the scopes that are still registered.',
        body: OwnClientPatch,
        answer: OwnClient,
        refusals: changing,
      }),
    },
    async (request, reply) => {
      const person = permittedPerson(request, 'manage-own-account')
      const { clientId } = request.params
      const before = clientDocument(await ownClients.require(person.accountId, clientId))
      requireMatch(request.headers['if-match'], () => [JSON.stringify(before)])
      await ownClients.change(person, clientId, await readPatch(request))
      const client = await ownClients.require(person.accountId, clientId)
      return sendDocument(request, reply, clientDocument(client))
    },
  )

  app.delete<WithClient>(
    '/v2/me/clients/:clientId',
    {
      config: manageAccess,
      schema: v2Operation({
        summary: 'Remove your application',
        description: 'Everything issued to it, for any user, stops working immediately.',
        refusals: changing,
      }),
    },
    async (request, reply) => {
      const person = permittedPerson(request, 'manage-own-account')
      const { clientId } = request.params
      const before = clientDocument(await ownClients.require(person.accountId, clientId))
      requireMatch(request.headers['if-match'], () => [JSON.stringify(before)])
      await ownClients.remove(person, clientId)
      return secretly(reply).code(204).send()
    },
  )

  app.post<WithClient>(
    '/v2/me/clients/:clientId/secret',
    {
      config: manageAccess,
      schema: {
        ...v2Operation({
          summary: 'Replace the secret of your application',
          description: 'The old secret and all tokens of the application stop working immediately.',
          status: 201,
          answer: OwnClientSecret,
          refusals: [...makingSecret, 'invalid-client-id', 'invalid-field'],
        }),
        ...makesSecretOnce,
      },
    },
    async (request, reply) => {
      const person = permittedPerson(request, 'manage-own-account')
      const { clientId } = request.params
      const { accountId } = person
      const path = `/v2/me/clients/${clientId}/secret`
      const alongside = once({ accountId, path, key: idempotencyKeyOf(request), body: null })
      const clientSecret = await ownClients.rotateSecret(person, clientId, alongside)
      return secretly(reply).code(201).send({ clientSecret })
    },
  )
}
