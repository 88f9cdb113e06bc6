// Imports a file of trails: first a preview of the changes, line by line, then the import.
import { Badge, Button, FileButton, Group, Text } from '@mantine/core'
import { FileUp } from 'lucide-react'
import { useRef, useState, type DragEvent } from 'react'
import type { TrailImport } from '../../../client/client.ts'
import { keys } from '../../data/keys.ts'
import { adminTrails } from '../../strings/admin-things.ts'
import { formatCount } from '../../ui/format.ts'
import { ProblemNotice } from '../../ui/notices/problem-notice.tsx'
import { useToast } from '../../ui/notices/toasts.tsx'
import styles from './admin.module.css'
import { useChange } from './queries.ts'

const strings = adminTrails.import

interface Chosen {
  readonly name: string
  readonly text: string
}

function FromTo({ label, from, to }: { readonly label: string; readonly from: string; readonly to: string }) {
  return (
    <div>
      {label} <del className={styles.from}>{from}</del> <ins className={styles.to}>{to}</ins>
    </div>
  )
}

function DiffTable({ plan }: { readonly plan: TrailImport }) {
  const { head, kinds } = strings
  return (
    <table className={styles.table} data-import>
      <thead>
        <tr>
          <th scope="col">{head.kind}</th>
          <th scope="col">{head.where}</th>
          <th scope="col">{head.trail}</th>
          <th scope="col">{head.change}</th>
        </tr>
      </thead>
      <tbody>
        {plan.problems.map(({ place, detail }) => (
          <tr key={`problem ${place} ${detail}`} data-kind="refused">
            <td data-label={head.kind}>
              <Badge color="red" variant="light">
                {kinds.refused}
              </Badge>
            </td>
            <td data-label={head.where}>{place}</td>
            <td data-label={head.trail}>–</td>
            <td data-label={head.change}>{detail}</td>
          </tr>
        ))}
        {plan.new.map(({ trailID, name, slug, place }) => (
          <tr key={`new ${trailID}`} data-kind="added">
            <td data-label={head.kind}>
              <Badge variant="light">{kinds.added}</Badge>
            </td>
            <td data-label={head.where}>{place}</td>
            <td data-label={head.trail}>{trailID}</td>
            <td data-label={head.change}>
              <ins className={styles.to}>{name}</ins> <code>{slug}</code>
            </td>
          </tr>
        ))}
        {plan.changed.map(({ trailID, place, fields: { name, slug, description, geometry } }) => (
          <tr key={`changed ${trailID}`} data-kind="changed">
            <td data-label={head.kind}>
              <Badge color="blue" variant="light">
                {kinds.changed}
              </Badge>
            </td>
            <td data-label={head.where}>{place}</td>
            <td data-label={head.trail}>{trailID}</td>
            <td data-label={head.change}>
              <div>
                {name && <FromTo label={strings.name} {...name} />}
                {slug && <FromTo label={strings.slug} {...slug} />}
                {description && <div>{strings.descriptionChanged}</div>}
                {geometry && <div>{strings.lineChanged}</div>}
              </div>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Counts({ plan }: { readonly plan: TrailImport }) {
  const { counts } = strings
  const figures = [
    [counts.added, plan.counts.new],
    [counts.changed, plan.counts.changed],
    [counts.unchanged, plan.unchanged],
    [counts.refused, plan.counts.problems],
  ] as const
  return (
    <dl className={styles.counts}>
      {figures.map(([name, count]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{formatCount(count)}</dd>
        </div>
      ))}
    </dl>
  )
}

interface PlanProps {
  readonly file: Chosen
  readonly plan: TrailImport
  readonly onDone: () => void
  readonly onAgain: () => void
}

function Plan({ file, plan, onDone, onAgain }: PlanProps) {
  const toast = useToast()
  const { counts } = plan
  const work = counts.new + counts.changed
  const listed = plan.new.length + plan.changed.length + plan.problems.length
  const apply = useChange({
    run: ({ trails }) => trails.import(file.text),
    stale: [keys.trails],
    onDone: (done) => {
      toast({ message: strings.done(done.counts.new, done.counts.changed), tone: 'good' })
      onDone()
    },
  })
  return (
    <>
      <h2>{strings.file(file.name)}</h2>
      <Counts plan={plan} />
      {listed > 0 && <DiffTable plan={plan} />}
      {listed < work + counts.problems && <p className={styles.hint}>{strings.cut(1_000)}</p>}
      {counts.problems > 0 && <Text>{strings.mendFirst}</Text>}
      {counts.problems === 0 && work === 0 && <Text>{strings.nothingToDo}</Text>}
      {apply.error && <ProblemNotice error={apply.error} />}
      <Group>
        {counts.problems === 0 && work > 0 && (
          <Button loading={apply.isPending} onClick={() => apply.mutate(undefined)}>
            {strings.apply(work)}
          </Button>
        )}
        <Button variant="default" onClick={onAgain}>
          {strings.again}
        </Button>
      </Group>
    </>
  )
}

export function TrailImportView({ onDone }: { readonly onDone: () => void }) {
  const [chosen, setChosen] = useState<Chosen>()
  const [isOver, setOver] = useState(false)
  const [unreadable, setUnreadable] = useState('')
  const forget = useRef<() => void>(null)
  const look = useChange({
    run: ({ trails }, { text }: Chosen) => trails.import(text, { dryRun: true }),
  })
  const choose = async (file: File | null | undefined) => {
    if (!file) return
    // The corrected file may be chosen again: without this the browser sees no change.
    forget.current?.()
    const text = await file.text().catch(() => undefined)
    setUnreadable(text === undefined ? file.name : '')
    if (text === undefined) return
    const next = { name: file.name, text }
    setChosen(next)
    look.mutate(next)
  }
  const again = () => {
    setChosen(undefined)
    look.reset()
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    void choose(event.dataTransfer.files[0])
  }
  return (
    <>
      <Text>{strings.detail}</Text>
      {!look.data && (
        <div
          className={styles.drop}
          data-over={isOver || undefined}
          onDragOver={(event) => {
            event.preventDefault()
            setOver(true)
          }}
          onDragLeave={() => setOver(false)}
          onDrop={drop}
        >
          <FileButton
            resetRef={forget}
            accept=".csv,.geojson,.json,text/csv,application/geo+json"
            onChange={(file) => void choose(file)}
          >
            {(props) => (
              <Button {...props} loading={look.isPending} leftSection={<FileUp size={16} aria-hidden />}>
                {strings.choose}
              </Button>
            )}
          </FileButton>
          <span className={styles.hint} role="status">
            {look.isPending && chosen ? strings.looking(chosen.name) : strings.drop}
          </span>
        </div>
      )}
      {unreadable !== '' && (
        <Text c="red" role="alert">
          {strings.unreadable(unreadable)}
        </Text>
      )}
      {look.error && <ProblemNotice error={look.error} />}
      {look.data && chosen && <Plan file={chosen} plan={look.data} onDone={onDone} onAgain={again} />}
    </>
  )
}
