// /v2/webhooks: the webhooks of the account, for the person and for the account's own client.
import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Action } from '../../auth/actions.ts'
import { accountOf, permit, type AccountActor } from '../../auth/guard.ts'
import { scopeWords } from '../../auth/scopes.ts'
import { parseId } from '../../shared/classic/classic-paths.ts'
import { writeTimestamp } from '../../shared/v2/timestamps.ts'
import {
  MadeWebhook,
  NewWebhook,
  Webhook as WebhookDocument,
  WebhookPatch,
  WebhookSet,
} from '../../shared/v2/webhook-schemas.ts'
import { makesSecretOnce, v2Operation } from '../../http/openapi/openapi.ts'
import { requireMatch, secretly, sendRepresentation } from '../../http/representation.ts'
import { createBodyReader } from '../../http/bodies/v2-body.ts'
import { readIdempotencyKey } from '../../idempotency/idempotency-key.ts'
import type { Webhook } from './webhook-table.ts'
import type { Webhooks } from './webhooks.ts'

export const listAccess = { access: { credential: 'bearer', action: 'list-webhooks' } } as const
export const manageAccess = { access: { credential: 'bearer', action: 'manage-webhooks' } } as const

export type OnWebhook = { Params: { webhookID: string } }

const path = '/v2/webhooks'
export const webhookPath = `${path}/:webhookID`

export function permitted(request: FastifyRequest, action: Action): AccountActor {
  permit(request.actor, action)
  return accountOf(request.actor)
}

export const timestampOf = (at: number | null): string | null => (at === null ? null : writeTimestamp(at))

function documentOf(webhook: Webhook): WebhookDocument {
  const { id, url, events, scope, createdAt, disabledAt, disabledReason, failingSince } = webhook
  return {
    id,
    url,
    events: [...events],
    scopes: scopeWords(scope),
    createdAt: writeTimestamp(createdAt),
    disabled: disabledAt !== null,
    disabledAt: timestampOf(disabledAt),
    disabledReason,
    failingSince: timestampOf(failingSince),
  }
}

const sendDocument = (request: FastifyRequest, reply: FastifyReply, document: object): FastifyReply =>
  sendRepresentation(request, reply, { mediaType: 'application/json', body: JSON.stringify(document) })

const sendMade = (reply: FastifyReply, { webhook, secret }: { webhook: Webhook; secret: string }) =>
  secretly(reply)
    .code(201)
    .send({ ...documentOf(webhook), secret } satisfies MadeWebhook)

export function registerWebhookEndpoints(
  app: FastifyInstance,
  { webhooks }: { readonly webhooks: Webhooks },
): void {
  const readNew = createBodyReader(NewWebhook)
  const readPatch = createBodyReader(WebhookPatch)

  app.get(
    path,
    {
      config: listAccess,
      schema: v2Operation({
        summary: 'List your webhooks',
        description: 'Oldest first, without their secrets. Visible only to the account, not even to admins.',
        answer: WebhookSet,
        refusals: ['forbidden'],
      }),
    },
    async (request, reply) => {
      const own = await webhooks.list(permitted(request, 'list-webhooks').accountId)
      return sendDocument(request, reply, { items: own.map(documentOf), next: null })
    },
  )

  app.post(
    path,
    {
      config: manageAccess,
      schema: {
        ...v2Operation({
          summary: 'Create a webhook',
          description:
            'From now on, events of these types that the account can see are posted to the URL, signed according to Standard Webhooks. An account may have 20.',
          body: NewWebhook,
          status: 201,
          answer: MadeWebhook,
          refusals: [
            'forbidden',
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
      const actor = permitted(request, 'manage-webhooks')
      const { accountId } = actor
      const key = readIdempotencyKey(request.raw.headersDistinct['idempotency-key'])
      const body = await readNew(request)
      const bodySha256 = createHash('sha256').update(JSON.stringify(body)).digest('hex')
      const keyed = key === undefined ? undefined : { accountId, path, key, bodySha256 }
      return sendMade(reply, await webhooks.create(actor, body, keyed))
    },
  )

  app.get<OnWebhook>(
    webhookPath,
    {
      config: listAccess,
      schema: v2Operation({
        ids: ['webhookID'],
        summary: 'Get a webhook',
        description: 'Without its secret.',
        answer: WebhookDocument,
        refusals: ['forbidden', 'invalid-webhook-id'],
      }),
    },
    async (request, reply) => {
      const { accountId } = permitted(request, 'list-webhooks')
      const webhook = await webhooks.require(accountId, parseId(request.params.webhookID))
      return sendDocument(request, reply, documentOf(webhook))
    },
  )

  app.patch<OnWebhook>(
    webhookPath,
    {
      config: manageAccess,
      schema: v2Operation({
        ids: ['webhookID'],
        summary: 'Change a webhook',
        description:
          'Changing the URL limits it to the scopes that the current credential also has. After it is enabled again, it receives new events only.',
        body: WebhookPatch,
        answer: WebhookDocument,
        refusals: ['forbidden', 'invalid-webhook-id', 'precondition-failed', 'read-only'],
      }),
    },
    async (request, reply) => {
      const actor = permitted(request, 'manage-webhooks')
      const id = parseId(request.params.webhookID)
      const precondition = (webhook: Webhook): void =>
        requireMatch(request.headers['if-match'], () => [JSON.stringify(documentOf(webhook))])
      precondition(await webhooks.require(actor.accountId, id))
      const changed = await webhooks.change(actor, id, await readPatch(request), precondition)
      return sendDocument(request, reply, documentOf(changed))
    },
  )

  app.delete<OnWebhook>(
    webhookPath,
    {
      config: manageAccess,
      schema: v2Operation({
        ids: ['webhookID'],
        summary: 'Delete a webhook',
        description: 'Also deletes its deliveries; pending ones are not sent.',
        refusals: ['forbidden', 'invalid-webhook-id', 'read-only'],
      }),
    },
    async (request, reply) => {
      const { accountId } = permitted(request, 'manage-webhooks')
      await webhooks.remove(accountId, parseId(request.params.webhookID))
      return secretly(reply).code(204).send()
    },
  )

  app.post<OnWebhook>(
    `${webhookPath}/rotate`,
    {
      config: manageAccess,
      schema: v2Operation({
        ids: ['webhookID'],
        summary: 'Replace the secret of a webhook',
        description: 'Everything sent from now on is signed with the new secret, which is shown only once.',
        status: 201,
        answer: MadeWebhook,
        refusals: ['forbidden', 'invalid-webhook-id', 'read-only'],
      }),
    },
    async (request, reply) => {
      const { accountId } = permitted(request, 'manage-webhooks')
      return sendMade(reply, await webhooks.rotate(accountId, parseId(request.params.webhookID)))
    },
  )
}
