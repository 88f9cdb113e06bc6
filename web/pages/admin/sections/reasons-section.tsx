// The reasons that reviewers choose from: edited as one list, in the order of the review page.
import { ActionIcon, Button, Checkbox, TextInput, Tooltip } from '@mantine/core'
import { ArrowDown, ArrowUp, Plus, X } from 'lucide-react'
import { useState } from 'react'
import { decisions, type Decision } from '../../../../src/shared/image-states.ts'
import type { ReviewReason } from '../../../../client/client.ts'
import { keys } from '../../../data/keys.ts'
import { keysOfReasons } from '../../../data/reason-keys.ts'
import { adminReasons as strings } from '../../../strings/admin-things.ts'
import { Empty } from '../../../ui/notices/empty.tsx'
import { ProblemNotice } from '../../../ui/notices/problem-notice.tsx'
import { useToast } from '../../../ui/notices/toasts.tsx'
import { AdminFrame } from '../admin-frame.tsx'
import styles from '../admin.module.css'
import { Loaded } from '../loaded.tsx'
import { useChange, useToEdit } from '../queries.ts'

interface Row {
  readonly id: number
  readonly code: string
  readonly label: string
  readonly decisions: readonly Decision[]
}

const rowsOf = (reasons: readonly ReviewReason[]): Row[] =>
  reasons.map(({ code, label, decisions: of }, id) => ({ id, code, label, decisions: of }))

const reasonsOf = (rows: readonly Row[]) =>
  rows.map(({ code, label, decisions: of }) => ({ code, label: label.trim(), decisions: [...of] }))

/** Validation errors of a row, by field; the server validates the rest. */
function faultsOf({ id, code, label }: Row, rows: readonly Row[]) {
  const isTwice = rows.some((other) => other.id !== id && other.code === code)
  return {
    code: /^[a-z0-9]+(-[a-z0-9]+)*$/.test(code)
      ? isTwice
        ? strings.faults.twice
        : undefined
      : strings.faults.code,
    label: label.trim() === '' ? strings.faults.label : undefined,
  }
}

/** The shortcut key in review, if it is a reason of `reject`. */
function deskKey(row: Row, rows: readonly Row[]): string | undefined {
  const rejecting = rows.filter(({ decisions: of }) => of.includes('reject'))
  return keysOfReasons(rejecting.map(({ code }) => code))[rejecting.findIndex(({ id }) => id === row.id)]
}

interface ReasonRowProps {
  readonly rows: readonly Row[]
  readonly at: number
  readonly showsFaults: boolean
  readonly onChange: (rows: readonly Row[]) => void
}

function ReasonRow({ rows, at, showsFaults, onChange }: ReasonRowProps) {
  const row = rows[at]
  if (!row) return null
  const faults = showsFaults ? faultsOf(row, rows) : { code: undefined, label: undefined }
  const key = deskKey(row, rows)
  const put = (part: Partial<Row>) =>
    onChange(rows.map((other) => (other.id === row.id ? { ...other, ...part } : other)))
  const moveTo = (to: number) => onChange(rows.toSpliced(at, 1).toSpliced(to, 0, row))
  return (
    <li className={styles.reason} data-reason={row.code}>
      {key === undefined ? <span /> : <kbd title={strings.key(key)}>{key}</kbd>}
      <TextInput
        aria-label={strings.codeOf(at + 1)}
        placeholder={strings.code}
        value={row.code}
        error={faults.code}
        onChange={(event) => put({ code: event.currentTarget.value })}
      />
      <TextInput
        aria-label={strings.labelOf(at + 1)}
        placeholder={strings.label}
        value={row.label}
        error={faults.label}
        onChange={(event) => put({ label: event.currentTarget.value })}
      />
      <div className={`${styles.actions} ${styles.reasonActions}`}>
        <Tooltip label={strings.up(row.label)}>
          <ActionIcon
            variant="subtle"
            disabled={at === 0}
            aria-label={strings.up(row.label)}
            onClick={() => moveTo(at - 1)}
          >
            <ArrowUp size={17} aria-hidden />
          </ActionIcon>
        </Tooltip>
        <Tooltip label={strings.down(row.label)}>
          <ActionIcon
            variant="subtle"
            disabled={at === rows.length - 1}
            aria-label={strings.down(row.label)}
            onClick={() => moveTo(at + 1)}
          >
            <ArrowDown size={17} aria-hidden />
          </ActionIcon>
        </Tooltip>
        <Tooltip label={strings.remove(row.label)}>
          <ActionIcon
            variant="subtle"
            color="red"
            aria-label={strings.remove(row.label)}
            onClick={() => onChange(rows.toSpliced(at, 1))}
          >
            <X size={17} aria-hidden />
          </ActionIcon>
        </Tooltip>
      </div>
      <fieldset className={styles.decisions} aria-label={strings.decisionsOf(at + 1)}>
        {decisions
          .filter((decision) => decision !== 'approve' || row.decisions.includes(decision))
          .map((decision) => (
            <Checkbox
              key={decision}
              size="xs"
              label={strings.decisions[decision]}
              checked={row.decisions.includes(decision)}
              onChange={(event) =>
                put({
                  decisions: event.currentTarget.checked
                    ? [...row.decisions, decision]
                    : row.decisions.filter((other) => other !== decision),
                })
              }
            />
          ))}
      </fieldset>
    </li>
  )
}

function ReasonsForm({ reasons }: { readonly reasons: readonly ReviewReason[] }) {
  const toast = useToast()
  const [rows, setRows] = useState(() => rowsOf(reasons))
  const [showsFaults, setShowsFaults] = useState(false)
  const isSame = JSON.stringify(reasonsOf(rows)) === JSON.stringify(reasonsOf(rowsOf(reasons)))
  const change = useChange({
    run: ({ admin: calls }, next: { readonly rows: readonly Row[]; readonly before?: readonly Row[] }) =>
      calls.reasons.set(reasonsOf(next.rows)),
    stale: [keys.reasons],
    onDone: (_saved, { before }) =>
      toast({
        message: strings.saved,
        tone: 'good',
        ...(before && { undo: () => change.mutate({ rows: before }) }),
      }),
  })
  const save = () => {
    const isSound = rows.every((row) =>
      Object.values(faultsOf(row, rows)).every((fault) => fault === undefined),
    )
    setShowsFaults(!isSound)
    if (isSound) change.mutate({ rows, before: rowsOf(reasons) })
  }
  const add = () => {
    const id = Math.max(-1, ...rows.map((row) => row.id)) + 1
    setRows([...rows, { id, code: '', label: '', decisions: ['reject', 'remove'] }])
  }
  return (
    <div className={styles.form}>
      <p className={styles.hint}>{strings.hint}</p>
      {rows.length === 0 && <Empty title={strings.none} detail={strings.noneDetail} />}
      <ol className={styles.list}>
        {rows.map(({ id }, at) => (
          <ReasonRow
            key={id}
            rows={rows}
            at={at}
            showsFaults={showsFaults}
            onChange={(next) => setRows([...next])}
          />
        ))}
      </ol>
      {change.error && <ProblemNotice error={change.error} />}
      <div className={styles.bar}>
        <Button variant="default" leftSection={<Plus size={16} aria-hidden />} onClick={add}>
          {strings.add}
        </Button>
        <Button disabled={isSame} loading={change.isPending} onClick={save}>
          {strings.save}
        </Button>
        {!isSame && (
          <Button variant="subtle" onClick={() => setRows(rowsOf(reasons))}>
            {strings.discard}
          </Button>
        )}
      </div>
    </div>
  )
}

export function ReasonsSection() {
  const query = useToEdit([...keys.admin, 'reasons'], ({ review }) => review.reasons())
  return (
    <AdminFrame section="reasons">
      <Loaded query={query}>
        {(reasons) => <ReasonsForm key={JSON.stringify(reasons)} reasons={reasons} />}
      </Loaded>
    </AdminFrame>
  )
}
