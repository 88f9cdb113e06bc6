// The API reference, generated from the OpenAPI document that the server publishes.
import { Button, Skeleton, Stack, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useRouterState } from '@tanstack/react-router'
import { ChevronRight } from 'lucide-react'
import { useEffect, useMemo, useState } from 'react'
import { baseUrl, href } from '../../../data/base.ts'
import { useWaymark } from '../../../data/waymark.tsx'
import { common } from '../../../strings/common.ts'
import { apiStrings as strings, docs } from '../../../strings/docs.ts'
import { CopyButton } from '../../../ui/fields/copy-button.tsx'
import { Empty } from '../../../ui/notices/empty.tsx'
import { useTypedFilter } from '../../../ui/filters.ts'
import { Page } from '../../../ui/page.tsx'
import { ProblemNotice } from '../../../ui/notices/problem-notice.tsx'
import {
  groupsOf,
  operationsOf,
  searchOperations,
  withoutReferences,
  type ApiDocument,
  type NamedOperation,
} from './api-document.ts'
import styles from './api.module.css'
import { OperationView } from './operation-view.tsx'

interface EntryProps {
  readonly operation: NamedOperation
  readonly isOpen: boolean
  readonly onToggle: () => void
}

function Entry({ operation, isOpen, onToggle }: EntryProps) {
  const { operationId, method, path, summary } = operation
  const link = `${baseUrl}/docs/api#${operationId}`
  return (
    <li id={operationId} className={styles.entry} data-operation={`${method} ${path}`}>
      <div className={styles.head}>
        <h3>
          <button type="button" aria-expanded={isOpen} onClick={onToggle}>
            <ChevronRight size={16} aria-hidden data-open={isOpen || undefined} />
            <span className={styles.method} data-method={method}>
              {method}
            </span>
            <code>{path}</code>
            <span className={styles.summary}>{summary}</span>
          </button>
        </h3>
        <CopyButton text={link} label={strings.copyLink} />
      </div>
      {isOpen && <OperationView operation={operation} serverUrl={baseUrl} />}
    </li>
  )
}

/** The operation in the URL is open and scrolled into view; others stay as they are. */
function useOpened() {
  const hash = useRouterState({ select: ({ location }) => location.hash })
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set())
  const [last, setLast] = useState('')
  if (hash !== last) {
    setLast(hash)
    if (hash !== '') setOpened((before) => new Set(before).add(hash))
  }
  useEffect(() => {
    if (hash === '') return
    // Once it exists and is open.
    requestAnimationFrame(() => document.querySelector(`#${CSS.escape(hash)}`)?.scrollIntoView())
  }, [hash])
  const toggle = (id: string) => {
    const isOpen = opened.has(id)
    setOpened((before) => {
      const next = new Set(before)
      if (isOpen) next.delete(id)
      else next.add(id)
      return next
    })
    // The URL follows the current operation, without a history entry for each.
    if (!isOpen) history.replaceState(history.state, '', `#${id}`)
  }
  return { opened, toggle }
}

function Reference({
  document,
  q,
  onClear,
}: {
  readonly document: ApiDocument
  readonly q: string
  readonly onClear: () => void
}) {
  const { opened, toggle } = useOpened()
  const groups = useMemo(() => groupsOf(searchOperations(operationsOf(document), q)), [document, q])
  const count = groups.reduce((sum, { operations }) => sum + operations.length, 0)
  return (
    <>
      <p role="status" className={styles.about}>
        {strings.count(count)}
      </p>
      {count === 0 && (
        <Empty title={strings.none} detail={strings.noneDetail}>
          <Button variant="default" onClick={onClear}>
            {strings.all}
          </Button>
        </Empty>
      )}
      {groups.map(({ name, operations }) => (
        <section key={name} aria-label={name}>
          <h2>{name}</h2>
          <ul className={styles.entries}>
            {operations.map((operation) => (
              <Entry
                key={operation.operationId}
                operation={operation}
                isOpen={opened.has(operation.operationId)}
                onToggle={() => toggle(operation.operationId)}
              />
            ))}
          </ul>
        </section>
      ))}
    </>
  )
}

export function ApiPage() {
  const waymark = useWaymark()
  const typed = useTypedFilter('q')
  const query = useQuery({
    queryKey: ['openapi'],
    queryFn: async () => withoutReferences(await waymark.request<ApiDocument>('GET', '/openapi.json')),
    staleTime: Infinity,
  })
  const { data, error, refetch } = query
  return (
    <Page
      title={docs.api}
      lead={docs.apiLead}
      actions={
        <Button component="a" variant="default" href={href('/openapi.json')}>
          {strings.document}
        </Button>
      }
    >
      <TextInput
        type="search"
        label={strings.search}
        placeholder={strings.searchHint}
        value={typed.value}
        onChange={(event) => typed.onChange(event.currentTarget.value)}
      />
      {data && <Reference document={data} q={typed.value} onClear={() => typed.onChange('')} />}
      {!data && error && <ProblemNotice error={error} onRetry={() => void refetch()} />}
      {!data && !error && (
        <Stack gap="xs" role="status" aria-busy="true" aria-label={common.loading}>
          {Array.from({ length: 8 }, (_, at) => (
            <Skeleton key={at} height={44} />
          ))}
        </Stack>
      )}
    </Page>
  )
}
