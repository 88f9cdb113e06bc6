// The docs home page: all guides, and a search over their titles and headings.
import { TextInput, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { guides } from 'virtual:guides'
import { docs } from '../../strings/docs.ts'
import { Empty } from '../../ui/notices/empty.tsx'
import { useTypedFilter } from '../../ui/filters.ts'
import { Page } from '../../ui/page.tsx'
import styles from './docs.module.css'
import { findInGuides } from './find-in-guides.ts'
import { guideGroups } from './guide-list.ts'

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
  const typed = useTypedFilter('q')
  return (
    <Page title={docs.title} lead={docs.lead}>
      <TextInput
        type="search"
        label={docs.search}
        placeholder={docs.searchHint}
        value={typed.value}
        onChange={(event) => typed.onChange(event.currentTarget.value)}
      />
      {typed.value.trim() === '' ? (
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
        <Found sought={typed.value} />
      )}
    </Page>
  )
}
