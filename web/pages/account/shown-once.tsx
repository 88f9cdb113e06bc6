// A secret that is shown only once: until the user confirms that they have saved it.
import { Button, Group, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { account } from '../../strings/account.ts'
import { CopyButton } from '../../ui/fields/copy-button.tsx'
import styles from './account.module.css'
import { Card, focusOnArrival } from './parts.tsx'

const strings = account.once

interface ShownOnceProps {
  readonly title: string
  readonly secret: string
  readonly copyLabel: string
  readonly lead?: string
  readonly children?: ReactNode
  readonly onKept: () => void
}

export function ShownOnce({
  title,
  secret,
  copyLabel,
  lead = strings.lead,
  children,
  onKept,
}: ShownOnceProps) {
  return (
    <Card title={title} tone="good">
      {/* The form that created it is gone, and so was the focus: it moves here, and the text is read aloud. */}
      <div key={secret} ref={focusOnArrival} tabIndex={-1}>
        <Text>{lead}</Text>
        <Group gap="sm" mt="xs" align="flex-start">
          <code className={styles.secret}>{secret}</code>
          <CopyButton text={secret} label={copyLabel} hasWords />
        </Group>
      </div>
      {children}
      <div>
        <Button variant="default" onClick={onKept}>
          {strings.done}
        </Button>
      </div>
    </Card>
  )
}

/** A code block with a copy button. */
export function Sample({ title, code, copyLabel }: { title: string; code: string; copyLabel: string }) {
  return (
    <figure className={styles.sample}>
      <figcaption>
        <Text size="sm" fw={600}>
          {title}
        </Text>
        <CopyButton text={code} label={copyLabel} />
      </figcaption>
      <pre>{code}</pre>
    </figure>
  )
}
