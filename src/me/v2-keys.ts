// /v2/me/keys: the account's API keys, for the person and for the account's own client (contract C28).
import type { FastifyInstance } from 'fastify'
import type { ApiKeys } from '../auth/api-keys.ts'
import { parseTimestamp } from '../shared/v2/timestamps.ts'
import { ApiKeyRotation, ApiKeySet, MadeApiKey, NewApiKey } from '../shared/v2/account-schemas.ts'
import { refuse } from '../errors.ts'
import { makesSecretOnce, v2Operation } from '../http/openapi/openapi.ts'
import { createBodyReader } from '../http/bodies/v2-body.ts'
import { keyDocument, madeKeyDocument } from './documents.ts'
import type { Once } from './once.ts'
import { permitted } from './person.ts'
import { auditActorOf } from '../auth/guard.ts'
import { secretly } from '../http/representation.ts'
import { hasBody, idempotencyKeyOf, listKeysAccess, manageKeysAccess, sendSet } from './v2-parts.ts'

export interface KeyEndpointsDependencies {
  readonly apiKeys: ApiKeys
  readonly once: Once
  readonly now: () => number
}

type WithPrefix = { Params: { prefix: string } }

/** @throws refusal `invalid-field`. */
function readExpiry(text: string | null | undefined, now: number): number | undefined {
  if (text === null || text === undefined) return undefined
  const at = parseTimestamp(text)
  if (at !== undefined && at > now) return at
  throw refuse('invalid-field', {
    detail: 'expiresAt must be in the future, such as 2030-05-01T00:00:00Z.',
  })
}

export function registerKeyEndpoints(
  app: FastifyInstance,
  { apiKeys, once, now }: KeyEndpointsDependencies,
): void {
  const readNew = createBodyReader(NewApiKey)
  const readRotation = createBodyReader(ApiKeyRotation)

  app.get(
    '/v2/me/keys',
    {
      config: listKeysAccess,
      schema: v2Operation({
        summary: 'List your API keys',
        description:
          'Oldest first, without the keys themselves; only the last hundred expired or revoked keys.',
        answer: ApiKeySet,
        refusals: ['forbidden', 'insufficient-scope'],
      }),
    },
    async (request, reply) => {
      const { accountId } = permitted(request, 'list-keys')
      const keys = await apiKeys.list(accountId)
      return sendSet(
        request,
        reply,
        keys.map((key) => keyDocument(key, now())),
      )
    },
  )

  app.post(
    '/v2/me/keys',
    {
      config: manageKeysAccess,
      schema: {
        ...v2Operation({
          summary: 'Create an API key',
          description:
            'A key can only read published data. It is shown only once. An account may have 100 active keys.',
          body: NewApiKey,
          status: 201,
          answer: MadeApiKey,
          refusals: [
            'forbidden',
            'insufficient-scope',
            'quota-reached',
            'invalid-header',
            'already-done',
            'idempotency-key-reused',
            'read-only',
          ],
        }),
        ...makesSecretOnce,
      },
    },
    async (request, reply) => {
      const actor = permitted(request, 'manage-keys')
      const key = idempotencyKeyOf(request)
      const body = await readNew(request)
      const made = await apiKeys.create(actor.accountId, {
        name: body.name,
        expiresAt: readExpiry(body.expiresAt, now()),
        by: auditActorOf(actor),
        alongside: once({ accountId: actor.accountId, path: '/v2/me/keys', key, body }),
      })
      return secretly(reply).code(201).send(madeKeyDocument(made))
    },
  )

  app.post<WithPrefix>(
    '/v2/me/keys/:prefix/rotate',
    {
      config: manageKeysAccess,
      schema: {
        ...v2Operation({
          summary: 'Replace an API key',
          description:
            'Creates a key with the same name and expiry. The old key stops working immediately or after the overlap; it cannot be rotated twice.',
          body: ApiKeyRotation,
          status: 201,
          answer: MadeApiKey,
          refusals: [
            'forbidden',
            'insufficient-scope',
            'invalid-key-prefix',
            'quota-reached',
            'invalid-header',
            'already-done',
            'idempotency-key-reused',
            'read-only',
          ],
        }),
        ...makesSecretOnce,
      },
    },
    async (request, reply) => {
      const { prefix } = request.params
      const actor = permitted(request, 'manage-keys')
      await apiKeys.require(actor.accountId, prefix)
      const key = idempotencyKeyOf(request)
      const body = hasBody(request) ? await readRotation(request) : {}
      const made = await apiKeys.rotate(actor.accountId, prefix, {
        overlapMs: 1_000 * (body.overlapSeconds ?? 0),
        by: auditActorOf(actor),
        alongside: once({ accountId: actor.accountId, path: `/v2/me/keys/${prefix}/rotate`, key, body }),
      })
      return secretly(reply).code(201).send(madeKeyDocument(made))
    },
  )

  app.delete<WithPrefix>(
    '/v2/me/keys/:prefix',
    {
      config: manageKeysAccess,
      schema: v2Operation({
        summary: 'Revoke an API key',
        description: 'It stops working at the next request.',
        refusals: ['forbidden', 'insufficient-scope', 'invalid-key-prefix', 'read-only'],
      }),
    },
    async (request, reply) => {
      const actor = permitted(request, 'manage-keys')
      const isRevoked = await apiKeys.revoke(request.params.prefix, auditActorOf(actor), actor.accountId)
      if (!isRevoked) throw refuse('invalid-key-prefix')
      return secretly(reply).code(204).send()
    },
  )
}
