// What a webhook was sent: the log of deliveries, replay, and the test send.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { parseId } from '../../shared/classic/classic-paths.ts'
import { writeTimestamp } from '../../shared/v2/timestamps.ts'
import { Delivery as DeliveryDocument, DeliverySet } from '../../shared/v2/webhook-schemas.ts'
import { v2Operation } from '../../http/openapi/openapi.ts'
import { pageQuery, readPage, sendPage, wrongParameter } from '../../http/paging.ts'
import { secretly } from '../../http/representation.ts'
import type { Attempt } from './delivery-table.ts'
import {
  listAccess,
  manageAccess,
  timestampOf,
  permitted,
  webhookPath,
  type OnWebhook,
} from './webhook-endpoints.ts'
import type { ShownDelivery, Webhooks } from './webhooks.ts'

export interface DeliveryEndpointsDependencies {
  readonly webhooks: Webhooks
  readonly publicUrl: string
}

type OnDelivery = { Params: { webhookID: string; deliveryID: string } }

/** Attempts of one delivery; there are fewer, since a replay deletes older ones. */
const attemptsShown = 50

const attemptDocument = ({ at, status, error, milliseconds }: Attempt) => ({
  at: writeTimestamp(at),
  status,
  error,
  milliseconds,
})

const documentOf = ({
  delivery: { id, type, position, at, state, nextAt },
  made,
}: ShownDelivery): DeliveryDocument => ({
  id,
  type,
  position,
  at: writeTimestamp(at),
  state,
  attempts: made.slice(-attemptsShown).map(attemptDocument),
  nextAt: timestampOf(nextAt),
})

/** @throws refusal `invalid-query`. */
function pageOf(request: FastifyRequest) {
  const { limit, after } = readPage(request, 2)
  const [at = 0, id = 0] = (after ?? []).map(Number)
  if (!Number.isSafeInteger(at) || !Number.isSafeInteger(id))
    throw wrongParameter('cursor', 'the "next" of a previous response')
  return { limit, after: after && { at, id } }
}

const cursorOf = ({ delivery: { at, id } }: ShownDelivery): readonly number[] => [at, id]

export function registerDeliveryEndpoints(
  app: FastifyInstance,
  { webhooks, publicUrl }: DeliveryEndpointsDependencies,
): void {
  app.post<OnWebhook>(
    `${webhookPath}/test`,
    {
      config: manageAccess,
      schema: v2Operation({
        ids: ['webhookID'],
        summary: 'Send a test event',
        description:
          'Posts an event of type webhook.test once, in the background, even to a disabled webhook; see the result in the deliveries. If one is already waiting, no second one is added.',
        status: 202,
        answer: DeliveryDocument,
        refusals: ['forbidden', 'invalid-webhook-id', 'read-only'],
      }),
    },
    async (request, reply) => {
      const { accountId } = permitted(request, 'manage-webhooks')
      const delivery = await webhooks.test(accountId, parseId(request.params.webhookID))
      return secretly(reply)
        .code(202)
        .send(documentOf({ delivery, made: [] }))
    },
  )

  app.get<OnWebhook>(
    `${webhookPath}/deliveries`,
    {
      config: listAccess,
      schema: v2Operation({
        ids: ['webhookID'],
        summary: 'List the deliveries of a webhook',
        description:
          'Newest first, with all attempts; only the status of each response is recorded. Stored for 30 days after they finish.',
        query: Type.Object(pageQuery),
        answer: DeliverySet,
        refusals: ['forbidden', 'invalid-webhook-id', 'invalid-query'],
      }),
    },
    async (request, reply) => {
      const { accountId } = permitted(request, 'list-webhooks')
      const { id } = await webhooks.require(accountId, parseId(request.params.webhookID))
      const { limit, after } = pageOf(request)
      const rows = await webhooks.deliveries(id, { limit: limit + 1, after })
      return sendPage(request, reply, { rows, limit, show: documentOf, cursorOf, publicUrl })
    },
  )

  app.post<OnDelivery>(
    `${webhookPath}/deliveries/:deliveryID/replay`,
    {
      config: manageAccess,
      schema: v2Operation({
        ids: ['webhookID', 'deliveryID'],
        summary: 'Replay a delivery',
        description:
          'With the same webhook-id, so that receivers can recognise it. A delivery waiting for its next attempt is sent now.',
        status: 202,
        answer: DeliveryDocument,
        refusals: ['forbidden', 'invalid-webhook-id', 'invalid-delivery-id', 'webhook-disabled', 'read-only'],
      }),
    },
    async (request, reply) => {
      const { accountId } = permitted(request, 'manage-webhooks')
      const { webhookID, deliveryID } = request.params
      const replayed = await webhooks.replay(accountId, parseId(webhookID), parseId(deliveryID))
      return secretly(reply).code(202).send(documentOf(replayed))
    },
  )
}
