// The way into the docs: all guides, and a search over their titles and headings.
import { TextInput, Title } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { Link, useNavigate, useRouter, useSearch } from '@tanstack/react-router'
import { guides } from 'virtual:guides'
import { useState } from 'react'
import { docs } from '../../strings/docs.ts'
import { Empty } from '../../ui/empty.tsx'
import { Page } from '../../ui/page.tsx'
import styles from './docs.module.css'
import { findInGuides } from './find-in-guides.ts'
import { guideGroups } from './guide-list.ts'

const typingMs = 200

function Cards() {
  return guideGroups.map(({ title, guides: names }) => (
    <section key={title}>
      <Title order={2} size="h3" mb="sm">
        {title}
      </Title>
      <div className={styles.cards}>
        {names.map((name) => {
          const guide = guides.find((other) => other.name === name)
          return (
            <Link key={name} to="/docs/$guide" params={{ guide: name }} className={styles.card ?? ''}>
              <strong>{guide?.title}</strong>
              <span>
                {guide?.headings
                  .slice(0, 4)
                  .map(({ text }) => text)
                  .join(' · ')}
              </span>
            </Link>
          )
        })}
      </div>
    </section>
  ))
}

function Found({ sought }: { readonly sought: string }) {
  const found = findInGuides(guides, sought)
  if (found.length === 0) return <Empty title={docs.nothing} detail={docs.nothingDetail} />
  return (
    <>
      <p role="status">{docs.found(found.length)}</p>
      <ul className={styles.found}>
        {found.map(({ guide, title, id, text }) => (
          <li key={`${guide}#${id}`}>
            <Link to="/docs/$guide" params={{ guide }} {...(id === '' ? {} : { hash: id })}>
              {text}
            </Link>{' '}
            {id !== '' && <small>{title}</small>}
          </li>
        ))}
      </ul>
    </>
  )
}

export function DocsHome() {
  const { q }: { q?: unknown } = useSearch({ strict: false })
  const navigate = useNavigate()
  const [typed, setTyped] = useState(typeof q === 'string' ? q : '')
  const router = useRouter()
  const write = useDebouncedCallback((value: string, typedAt: string) => {
    // Whoever has gone on meanwhile is not brought back.
    if (router.latestLocation.pathname === typedAt)
      void navigate({ to: '/docs', search: { q: value }, replace: true })
  }, typingMs)
  return (
    <Page title={docs.title} lead={docs.lead}>
      <TextInput
        type="search"
        label={docs.search}
        placeholder={docs.searchHint}
        value={typed}
        onChange={(event) => {
          setTyped(event.currentTarget.value)
          write(event.currentTarget.value, router.latestLocation.pathname)
        }}
      />
      {typed.trim() === '' ? (
        <>
          <div className={styles.cards}>
            <Link to="/docs/$guide" params={{ guide: 'api' }} className={styles.card ?? ''}>
              <strong>{docs.api}</strong>
              <span>{docs.apiLead}</span>
            </Link>
          </div>
          <Cards />
        </>
      ) : (
        <Found sought={typed} />
      )}
    </Page>
  )
}
