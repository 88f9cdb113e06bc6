// The deliveries of a webhook with attempts and body, and resending one.
import { Badge, Button, Skeleton, Stack, Text } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { RotateCw } from 'lucide-react'
import { useState } from 'react'
import { isWaymarkProblem, type Delivery, type Waymark, type Webhook } from '../../../client/client.ts'
import { keys } from '../../data/keys.ts'
import { useWaymark } from '../../data/waymark.tsx'
import { accountPlaces } from '../../strings/account-places.ts'
import { common } from '../../strings/common.ts'
import { formatAgo } from '../../ui/format.ts'
import { ProblemNotice } from '../../ui/notices/problem-notice.tsx'
import styles from './account.module.css'
import { deliveriesKey, useChange } from './account-data.ts'
import { Card, FormProblem, When } from './parts.tsx'

const strings = accountPlaces.webhooks
const colours = { waiting: 'blue', delivered: 'forest', failed: 'red' } as const
/** Fetched again while a delivery is queued, so that the result of a test appears by itself. */
const lookAgainMs = 1_500
const soonMs = 45_000
const pageLength = 20

/** Due, or being delivered: a delivery that waits for a later attempt is not polled. */
const isUnderWay = ({ state, nextAt }: Delivery): boolean =>
  state === 'waiting' && nextAt !== null && Date.parse(nextAt) < Date.now() + soonMs

/** Deliveries do not store the body: it is rebuilt from the event, as the server does for each attempt. */
async function bodyOf(
  waymark: Waymark,
  webhook: Webhook,
  { type, at, position }: Delivery,
): Promise<string | undefined> {
  const timestamp = new Date(at).toISOString()
  const payloadOf = (data: object): string => JSON.stringify({ type, timestamp, data }, null, 2)
  if (position === null) return payloadOf({ webhookID: webhook.id })
  try {
    const { items } = await waymark.changes.page({ since: position - 1, limit: 1 })
    const event = items.find((one) => one.position === position)
    return event && payloadOf(event.data)
  } catch (error) {
    if (isWaymarkProblem(error) && error.code === 'events-gone') return undefined
    throw error
  }
}

function Body({ webhook, delivery }: { readonly webhook: Webhook; readonly delivery: Delivery }) {
  const waymark = useWaymark()
  const { data, error, isPending } = useQuery({
    queryKey: [...keys.me, 'delivery-body', delivery.id],
    queryFn: async () => (await bodyOf(waymark, webhook, delivery)) ?? strings.bodyGone,
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (error) return <FormProblem error={error} />
  return (
    <pre className={styles.body} aria-busy={isPending}>
      {data ?? '…'}
    </pre>
  )
}

function DeliveryItem({ webhook, delivery }: { readonly webhook: Webhook; readonly delivery: Delivery }) {
  const [isOpen, setOpen] = useState(false)
  const replay = useChange({
    act: (waymark) => waymark.webhooks.replay(webhook.id, delivery.id),
    stale: 'deliveries',
    successText: () => strings.replayed,
  })
  const { type, at, state, attempts, nextAt } = delivery
  return (
    <li className={styles.delivery}>
      <div className={styles.rowHead}>
        <div>
          <strong>{type}</strong> <When at={at} />{' '}
          <Badge variant="light" tt="none" color={colours[state]}>
            {strings.states[state]}
          </Badge>{' '}
          {nextAt !== null && attempts.length > 0 && (
            <Text span size="sm" c="dimmed">
              {strings.next(formatAgo(nextAt))}
            </Text>
          )}
        </div>
        <Button
          variant="default"
          size="compact-sm"
          leftSection={<RotateCw size={14} aria-hidden />}
          aria-label={strings.replayOf(type)}
          loading={replay.isPending}
          onClick={() => replay.mutate()}
        >
          {strings.replay}
        </Button>
      </div>
      {attempts.length > 0 && (
        <ol className={styles.attempts} aria-label={strings.attempts}>
          {attempts.map((attempt) => (
            <li key={`${attempt.at} ${attempt.milliseconds}`}>
              <code>{attempt.status ?? strings.noAnswer}</code> <When at={attempt.at} />,{' '}
              {strings.took(attempt.milliseconds)}
              {attempt.error !== null && ` · ${attempt.error}`}
            </li>
          ))}
        </ol>
      )}
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>{strings.body}</summary>
        {isOpen && <Body webhook={webhook} delivery={delivery} />}
      </details>
      <FormProblem error={replay.error} />
    </li>
  )
}

export function WebhookDeliveries({ webhook }: { readonly webhook: Webhook }) {
  const waymark = useWaymark()
  const query = useInfiniteQuery({
    queryKey: deliveriesKey(webhook.id),
    queryFn: ({ pageParam }) =>
      waymark.webhooks.deliveries.page(webhook.id, { cursor: pageParam, limit: pageLength }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ items }) => items.some(isUnderWay)) ? lookAgainMs : false,
  })
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = query
  const deliveries = data?.pages.flatMap(({ items }) => items)
  return (
    <Card title={strings.deliveriesOf(webhook.url)}>
      {error && <ProblemNotice error={error} order={3} onRetry={() => void refetch()} />}
      {query.isPending && (
        <Stack gap="sm" aria-busy="true" role="status" aria-label={common.loading}>
          <Skeleton height={44} />
        </Stack>
      )}
      {deliveries?.length === 0 && <Text c="dimmed">{strings.noDeliveries}</Text>}
      <Stack gap="sm">
        <ul className={styles.rows} aria-label={strings.deliveries}>
          {deliveries?.map((delivery) => (
            <DeliveryItem key={delivery.id} webhook={webhook} delivery={delivery} />
          ))}
        </ul>
        {hasNextPage && (
          <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {strings.older}
          </Button>
        )}
      </Stack>
    </Card>
  )
}
