// The audit log: filtered by account, action and time in the URL, and exported with the same filters.
import { Button, NativeSelect, Text, TextInput } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Download } from 'lucide-react'
import { useState } from 'react'
import type { AuditEntry } from '../../../../client/client.ts'
import { auditActions } from '../../../../src/shared/audit-actions.ts'
import { keys } from '../../../data/keys.ts'
import { useWaymark } from '../../../data/waymark.tsx'
import { admin } from '../../../strings/admin.ts'
import { Empty } from '../../../ui/notices/empty.tsx'
import { formatDateTime } from '../../../ui/format.ts'
import { ProblemNotice } from '../../../ui/notices/problem-notice.tsx'
import { useToast } from '../../../ui/notices/toasts.tsx'
import { AdminFrame } from '../admin-frame.tsx'
import styles from '../admin.module.css'
import { auditCsv } from '../audit-csv.ts'
import { beginOf, endOf } from '../calendar-day.ts'
import { useFilters, useTypedFilter } from '../../../ui/filters.ts'
import { Listed } from '../loaded.tsx'
import { useAsked, useList } from '../queries.ts'
import { saveFile } from '../../../ui/save-file.ts'

const strings = admin.audit

/** The filters in the URL, in the form of the API. */
function useAuditFilters() {
  const { filter } = useFilters()
  const account = filter('acctID')
  const action = filter('action')
  return {
    acctID: /^\d{1,16}$/.test(account) ? Number(account) : undefined,
    action: auditActions.find((known) => known === action),
    since: beginOf(filter('since')),
    until: endOf(filter('until')),
  }
}

/** Names of accounts by ID. @returns a function that names one. */
export function useNames(): (id: number) => string {
  const { data } = useAsked([...keys.admin, 'names'], ({ admin: calls }) =>
    calls.accounts.page({ limit: 500 }),
  )
  const names = new Map(data?.items.map(({ acctID, displayName }) => [acctID, displayName]))
  return (id) => names.get(id) ?? strings.accountNumber(id)
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

function Detail({ detail }: Pick<AuditEntry, 'detail'>) {
  return Object.entries(detail).map(([name, value]) => (
    <div key={name}>
      <Text span c="dimmed" size="sm">
        {name}
      </Text>{' '}
      <code>{textOf(value)}</code>
    </div>
  ))
}

export function Who({ actor, via }: Pick<AuditEntry, 'actor' | 'via'>) {
  const nameOf = useNames()
  if (actor === null) return via === 'command' ? strings.command : strings.server
  return (
    <>
      <Link to="/admin/$section" params={{ section: 'accounts' }} search={{ account: String(actor) }}>
        {nameOf(actor)}
      </Link>{' '}
      <Text span c="dimmed" size="sm">
        {strings.via[via] ?? via}
      </Text>
    </>
  )
}

function AuditTable({ entries }: { readonly entries: readonly AuditEntry[] }) {
  const nameOf = useNames()
  return (
    <table className={styles.table}>
      <thead>
        <tr>
          <th scope="col">{strings.when}</th>
          <th scope="col">{strings.who}</th>
          <th scope="col">{strings.what}</th>
          <th scope="col">{strings.whom}</th>
          <th scope="col">{strings.detail}</th>
        </tr>
      </thead>
      <tbody>
        {entries.map(({ position, at, actor, via, action, acctID, detail }) => (
          <tr key={position}>
            <td data-label={strings.when} className={styles.whole}>
              <time dateTime={at}>{formatDateTime(at)}</time>
            </td>
            <td data-label={strings.who}>
              <div>
                <Who actor={actor} via={via} />
              </div>
            </td>
            <td data-label={strings.what} className={styles.whole}>
              <code>{action}</code>
            </td>
            <td data-label={strings.whom}>{acctID === null ? '' : nameOf(acctID)}</td>
            <td data-label={strings.detail}>
              <div>
                <Detail detail={detail} />
              </div>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Filters() {
  const { filter, set } = useFilters()
  const account = useTypedFilter('acctID')
  return (
    <div className={styles.bar}>
      <TextInput
        type="search"
        inputMode="numeric"
        label={strings.account}
        value={account.value}
        onChange={(event) => account.onChange(event.currentTarget.value)}
      />
      <NativeSelect
        label={strings.action}
        value={filter('action')}
        data={[{ value: '', label: strings.anyAction }, ...auditActions]}
        onChange={(event) => set({ action: event.currentTarget.value })}
      />
      <TextInput
        type="date"
        label={strings.since}
        value={filter('since')}
        onChange={(event) => set({ since: event.currentTarget.value })}
      />
      <TextInput
        type="date"
        label={strings.until}
        value={filter('until')}
        onChange={(event) => set({ until: event.currentTarget.value })}
      />
    </div>
  )
}

/** All matching entries, over all pages. */
function ExportButton({ filters }: { readonly filters: ReturnType<typeof useAuditFilters> }) {
  const waymark = useWaymark()
  const toast = useToast()
  const [rows, setRows] = useState<number>()
  const [error, setError] = useState<unknown>()
  const exportAll = async () => {
    const entries: AuditEntry[] = []
    setError(undefined)
    setRows(0)
    try {
      for await (const entry of waymark.admin.audit.each({ ...filters, limit: 500 })) {
        if (entries.push(entry) % 500 === 0) setRows(entries.length)
      }
      saveFile('audit.csv', 'text/csv;charset=utf-8', auditCsv(entries))
      toast({ message: strings.exported(entries.length), tone: 'good' })
    } catch (failure) {
      setError(failure)
    }
    setRows(undefined)
  }
  return (
    <>
      <Button
        variant="default"
        disabled={rows !== undefined}
        leftSection={<Download size={16} aria-hidden />}
        onClick={() => void exportAll()}
      >
        {rows === undefined ? strings.exportCsv : strings.exporting(rows)}
      </Button>
      {error !== undefined && <ProblemNotice error={error} onRetry={() => void exportAll()} />}
    </>
  )
}

export function AuditSection() {
  const filters = useAuditFilters()
  const { set } = useFilters()
  const query = useList([...keys.admin, 'audit', filters], ({ admin: calls }, cursor) =>
    calls.audit.page({ ...filters, cursor }),
  )
  return (
    <AdminFrame section="audit" actions={<ExportButton filters={filters} />}>
      <Filters />
      <Listed query={query}>
        {(entries) =>
          entries.length === 0 ? (
            <Empty title={strings.nothing} detail={strings.nothingDetail}>
              <Button variant="default" onClick={() => set({ acctID: '', action: '', since: '', until: '' })}>
                {strings.clear}
              </Button>
            </Empty>
          ) : (
            <AuditTable entries={entries} />
          )
        }
      </Listed>
    </AdminFrame>
  )
}
