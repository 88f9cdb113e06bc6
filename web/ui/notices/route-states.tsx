// What stands in a page's place while it comes, where it failed, and where there is none.
import { Skeleton, Stack } from '@mantine/core'
import { useQueryErrorResetBoundary } from '@tanstack/react-query'
import { Link, useRouter, type ErrorComponentProps } from '@tanstack/react-router'
import { common } from '../../strings/common.ts'
import { Empty } from './empty.tsx'
import styles from '../page.module.css'
import { Page } from '../page.tsx'
import { ProblemNotice } from './problem-notice.tsx'

export function PagePending() {
  return (
    <div className={styles.page} data-width="wide" aria-busy="true" aria-label={common.loading} role="status">
      <Skeleton height={38} width="min(20rem, 60%)" />
      <Stack gap="sm">
        <Skeleton height={120} />
        <Skeleton height={120} />
        <Skeleton height={120} />
      </Stack>
    </div>
  )
}

/** Outside of the frame too, so it asks nothing of what may be broken. */
export function PageFailed({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  const queries = useQueryErrorResetBoundary()
  const retry = () => {
    queries.reset()
    reset()
    void router.invalidate()
  }
  return (
    <div className={styles.page} data-width="text">
      <ProblemNotice error={error} order={1} onRetry={retry} />
    </div>
  )
}

export function PageMissing() {
  return (
    <Page title={common.problem.notFound} width="text">
      <Empty title={common.problem.notFound} detail={common.problem.notFoundDetail}>
        <Link to="/">{common.problem.toStart}</Link>
      </Empty>
    </Page>
  )
}
