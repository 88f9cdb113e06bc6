// Where there is nothing yet: what this place is for, and what to do.
import { Group, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { Logo } from '../frame/logo.tsx'
import styles from './notices.module.css'

interface EmptyProps {
  readonly title: string
  readonly detail: string
  /** Buttons and links that lead on. */
  readonly children?: ReactNode
  readonly order?: 1 | 2 | 3
}

export function Empty({ title, detail, children, order = 2 }: EmptyProps) {
  return (
    <div className={styles.empty}>
      <Logo />
      <Title order={order} size="h3">
        {title}
      </Title>
      <Text c="dimmed" maw="34rem">
        {detail}
      </Text>
      {children !== undefined && <Group gap="sm">{children}</Group>}
    </div>
  )
}
