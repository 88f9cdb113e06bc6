// The states of a query: placeholder bars while loading, an error, or the result.
import { Button, Skeleton, Stack } from '@mantine/core'
import type { InfiniteData, UseInfiniteQueryResult, UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { admin } from '../../strings/admin.ts'
import { common } from '../../strings/common.ts'
import { Empty } from '../../ui/notices/empty.tsx'
import { ProblemNotice } from '../../ui/notices/problem-notice.tsx'

type Asked<Data> = Pick<UseQueryResult<Data>, 'data' | 'error' | 'refetch' | 'fetchStatus'>

interface LoadedProps<Data> {
  readonly query: Asked<Data>
  /** Number of placeholder bars. */
  readonly bars?: number
  readonly children: (data: Data) => ReactNode
}

export function Loaded<Data>({ query, bars = 4, children }: LoadedProps<Data>) {
  const { data, error, refetch, fetchStatus } = query
  if (data !== undefined) return children(data)
  if (error) return <ProblemNotice error={error} onRetry={() => void refetch()} />
  if (fetchStatus === 'paused') return <Empty title={admin.offline} detail={admin.offlineDetail} />
  return (
    <Stack gap="xs" role="status" aria-busy="true" aria-label={common.loading}>
      {Array.from({ length: bars }, (_, at) => (
        <Skeleton key={at} height={44} />
      ))}
    </Stack>
  )
}

interface ListedProps<Item> {
  readonly query: UseInfiniteQueryResult<InfiniteData<{ readonly items: readonly Item[] }>>
  readonly children: (items: readonly Item[]) => ReactNode
}

/** The same for a paginated list. */
export function Listed<Item>({ query, children }: ListedProps<Item>) {
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query
  return (
    <Loaded query={query} bars={6}>
      {({ pages }) => (
        <>
          {children(pages.flatMap(({ items }) => items))}
          {query.error && <ProblemNotice error={query.error} />}
          {hasNextPage && (
            <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
              {admin.more}
            </Button>
          )}
        </>
      )}
    </Loaded>
  )
}
