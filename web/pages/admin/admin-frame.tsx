// The frame of each admin section: its heading, and the navigation.
import { Link, useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, type ReactNode } from 'react'
import { admin } from '../../strings/admin.ts'
import { Page } from '../../ui/page.tsx'
import { useShortcuts } from '../../ui/keys/shortcuts.tsx'
import styles from './admin.module.css'
import { sections, type SectionName } from './sections.ts'

interface AdminFrameProps {
  readonly section: SectionName
  readonly actions?: ReactNode
  readonly children: ReactNode
}

const linkTo = (name: SectionName) =>
  name === 'overview'
    ? ({ to: '/admin' } as const)
    : ({ to: '/admin/$section', params: { section: name } } as const)

export function AdminFrame({ section, actions, children }: AdminFrameProps) {
  const navigate = useNavigate()
  const { label, lead } = sections.find(({ name }) => name === section) ?? sections[0]
  useShortcuts(
    admin.keys,
    sections.map(({ name, key, label: to }) => ({
      keys: key,
      label: admin.goTo(to),
      run: () => void navigate(linkTo(name)),
    })),
  )
  const nav = useRef<HTMLElement>(null)
  // On a phone the navigation is wider than the screen.
  useEffect(() => {
    const here = nav.current?.querySelector<HTMLElement>(`[data-part=${section}]`)
    if (nav.current && here) nav.current.scrollLeft = here.offsetLeft - nav.current.offsetLeft - 16
  }, [section])
  return (
    <div className={styles.frame}>
      <nav ref={nav} aria-label={admin.nav} className={styles.nav}>
        {sections.map(({ name, label: to, icon: Icon }) => (
          <Link
            key={name}
            {...linkTo(name)}
            data-part={name}
            activeOptions={{ exact: true, includeSearch: false }}
            className={styles.navLink ?? ''}
          >
            <Icon size={18} aria-hidden />
            {to}
          </Link>
        ))}
      </nav>
      <Page title={label} lead={lead} actions={actions}>
        {children}
      </Page>
    </div>
  )
}
