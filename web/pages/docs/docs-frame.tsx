// The frame of each docs page: the list of guides.
import { useMediaQuery } from '@mantine/hooks'
import { Link } from '@tanstack/react-router'
import { guides } from 'virtual:guides'
import type { ReactNode } from 'react'
import { docs } from '../../strings/docs.ts'
import styles from './docs.module.css'
import { guideGroups } from './guide-list.ts'

export const titleOf = (name: string): string => guides.find((guide) => guide.name === name)?.title ?? name

function List() {
  return (
    <nav aria-label={docs.title}>
      <ul>
        <li>
          <Link to="/docs" activeOptions={{ exact: true, includeSearch: false, includeHash: false }}>
            {docs.allPages}
          </Link>
        </li>
        <li>
          <Link to="/docs/$guide" params={{ guide: 'api' }} activeOptions={{ includeSearch: false }}>
            {docs.api}
          </Link>
        </li>
      </ul>
      {guideGroups.map(({ title, guides: names }) => (
        <section key={title}>
          <h2>{title}</h2>
          <ul>
            {names.map((name) => (
              <li key={name}>
                <Link to="/docs/$guide" params={{ guide: name }}>
                  {titleOf(name)}
                </Link>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </nav>
  )
}

/** On a phone the list is collapsed. */
export function DocsFrame({ children }: { readonly children: ReactNode }) {
  const isNarrow = useMediaQuery('(max-width: 60rem)', undefined, { getInitialValueInEffect: false })
  return (
    <div className={styles.frame}>
      <details className={styles.side} open={!isNarrow}>
        <summary>{docs.allPages}</summary>
        <List />
      </details>
      {children}
    </div>
  )
}
