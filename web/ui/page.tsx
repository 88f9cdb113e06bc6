// What every page has: a title in the window and one heading of the first level, with what can be done beside it.
import { Group, Text, Title } from '@mantine/core'
import { useEffect, type ReactNode } from 'react'
import { useSite } from '../data/site.ts'
import styles from './page.module.css'

/** The title of the window while the component is there. */
export function useTitle(title: string): void {
  const { name } = useSite()
  useEffect(() => {
    document.title = title === name ? name : `${title} · ${name}`
  }, [title, name])
}

interface PageProps {
  readonly title: string
  /** One sentence below the heading. */
  readonly lead?: ReactNode
  /** Buttons beside the heading. */
  readonly actions?: ReactNode
  /** `full` reaches from edge to edge, for maps and galleries. */
  readonly width?: 'text' | 'wide' | 'full'
  readonly children: ReactNode
}

export function Page({ title, lead, actions, width = 'wide', children }: PageProps) {
  useTitle(title)
  return (
    <div className={styles.page} data-width={width}>
      <div className={styles.head}>
        <div>
          <Title order={1}>{title}</Title>
          {lead !== undefined && (
            <Text className={styles.lead ?? ''} component="div">
              {lead}
            </Text>
          )}
        </div>
        {actions !== undefined && <Group gap="sm">{actions}</Group>}
      </div>
      {children}
    </div>
  )
}
