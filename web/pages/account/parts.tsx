// Components shared by the account sections.
import { Button, Group, Skeleton, Stack, Text, Title } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import { useId, type ReactNode } from 'react'
import { common } from '../../strings/common.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { formatAgo, formatDateTime } from '../../ui/format.ts'
import { ProblemNotice } from '../../ui/notices/problem-notice.tsx'
import styles from './account.module.css'
import { isNotConfirmed } from './confirm-person.tsx'

/** For `ref`: moves the focus to what the user has just opened. */
export const focusOnArrival = (element: HTMLElement | null): void => element?.focus()

interface SectionProps {
  readonly title: string
  readonly lead?: ReactNode
  readonly actions?: ReactNode
  readonly children: ReactNode
}

export function Section({ title, lead, actions, children }: SectionProps) {
  const id = useId()
  return (
    <section className={styles.section} aria-labelledby={id}>
      <Group justify="space-between" align="flex-end" gap="sm">
        <Title order={2} id={id} size="h2">
          {title}
        </Title>
        {actions}
      </Group>
      {lead !== undefined && (
        <Text c="dimmed" component="div" maw="42rem" className={styles.lead ?? ''}>
          {lead}
        </Text>
      )}
      {children}
    </section>
  )
}

/** A panel with a heading: a form, or a new item. */
export function Card({
  title,
  children,
  tone,
}: {
  readonly title: string
  readonly children: ReactNode
  readonly tone?: 'good'
}) {
  const id = useId()
  return (
    <section className={styles.card} data-tone={tone} aria-labelledby={id}>
      <Title order={3} size="h4" id={id}>
        {title}
      </Title>
      {children}
    </section>
  )
}

interface SetViewProps<Item> {
  readonly query: UseQueryResult<readonly Item[]>
  readonly empty: ReactNode
  readonly children: (items: readonly Item[]) => ReactNode
}

/** The states of a list: loading, failed, empty, or loaded. */
export function SetView<Item>({ query, empty, children }: SetViewProps<Item>) {
  const { data, error, isPending, refetch } = query
  if (isPending) {
    return (
      <Stack gap="sm" aria-busy="true" role="status" aria-label={common.loading}>
        <Skeleton height={92} />
        <Skeleton height={92} />
      </Stack>
    )
  }
  if (data === undefined) return <ProblemNotice error={error} order={3} onRetry={() => void refetch()} />
  if (data.length === 0) return empty
  return children(data)
}

export function Rows({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <ul className={styles.rows} aria-label={label}>
      {children}
    </ul>
  )
}

interface RowProps {
  readonly title: ReactNode
  readonly facts: readonly (readonly [label: string, value: ReactNode] | false)[]
  readonly actions?: ReactNode
  readonly children?: ReactNode
}

export function Row({ title, facts, actions, children }: RowProps) {
  return (
    <li className={styles.row}>
      <div className={styles.rowHead}>
        <Title order={3} size="h4" className={styles.rowTitle ?? ''}>
          {title}
        </Title>
        {actions !== undefined && (
          <Group gap="xs" className={styles.rowActions ?? ''}>
            {actions}
          </Group>
        )}
      </div>
      <Facts facts={facts} />
      {children}
    </li>
  )
}

export function Facts({ facts }: Pick<RowProps, 'facts'>) {
  return (
    <dl className={styles.facts}>
      {facts.map(
        (fact) =>
          fact !== false && (
            <div key={fact[0]}>
              <dt>{fact[0]}</dt>
              <dd>{fact[1]}</dd>
            </div>
          ),
      )}
    </dl>
  )
}

/** "3 hours ago", with the exact time as a tooltip. */
export function When({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={formatDateTime(at)}>
      {formatAgo(at)}
    </time>
  )
}

/** The error of an action; nothing if the user cancelled it. */
export function FormProblem({ error }: { readonly error: unknown }) {
  if (error === null || error === undefined || isNotConfirmed(error)) return null
  return <ProblemNotice error={error} order={3} />
}

interface DangerProps {
  readonly title: string
  readonly detail: string
  readonly label: string
  readonly change: { readonly isPending: boolean; readonly error: unknown }
  readonly onConfirm: () => void
  readonly onClose: () => void
}

/** Asks before an action that cannot be undone. */
export function Danger({ title, detail, label, change, onConfirm, onClose }: DangerProps) {
  return (
    <Dialog onClose={onClose} title={title}>
      <Stack gap="md">
        <Text>{detail}</Text>
        <FormProblem error={change.error} />
        <Group>
          <Button color="red" loading={change.isPending} onClick={onConfirm} data-autofocus>
            {label}
          </Button>
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
