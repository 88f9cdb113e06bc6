// What went wrong, in the server's own words: title, detail, and the request id that the operator finds in the log.
import { Button, Group, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { isUnreachable, isWaymarkProblem } from '../../../client/client.ts'
import { common } from '../../strings/common.ts'
import { CopyButton } from '../fields/copy-button.tsx'
import styles from './notices.module.css'

export interface Told {
  readonly title: string
  readonly detail: string
  readonly requestId?: string
}

/** Any failure, in words for people. */
export function tellProblem(error: unknown): Told {
  if (isWaymarkProblem(error)) {
    const { title, detail = '', instance } = error
    return { title, detail, ...(instance !== undefined && { requestId: instance }) }
  }
  const { unreachable, unreachableDetail, unknown, unknownDetail } = common.problem
  if (isUnreachable(error)) return { title: unreachable, detail: unreachableDetail }
  return { title: unknown, detail: unknownDetail }
}

interface ProblemNoticeProps {
  readonly error: unknown
  readonly onRetry?: (() => void) | undefined
  readonly children?: ReactNode
  /** Of the heading: 1 where the notice is all that the page has. */
  readonly order?: 1 | 2 | 3
}

export function ProblemNotice({ error, onRetry, children, order = 2 }: ProblemNoticeProps) {
  const { title, detail, requestId } = tellProblem(error)
  return (
    <div className={styles.problem} role="alert">
      <Title order={order} size="h4">
        {title}
      </Title>
      {detail !== '' && <Text>{detail}</Text>}
      {requestId !== undefined && (
        <Group gap="xs">
          <Text size="sm" c="dimmed">
            {common.problem.requestId} <code>{requestId}</code>
          </Text>
          <CopyButton text={requestId} label={common.problem.copyRequestId} />
        </Group>
      )}
      <Group gap="sm">
        {onRetry && (
          <Button variant="default" onClick={onRetry}>
            {common.retry}
          </Button>
        )}
        {children}
      </Group>
    </div>
  )
}
