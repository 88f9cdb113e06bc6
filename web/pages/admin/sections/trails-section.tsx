// The trails of the site: search, create, edit, delete, import and export.
import { ActionIcon, Button, TextInput, Tooltip, VisuallyHidden } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Download, FileUp, Pencil, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { TrailSummary } from '../../../../client/client.ts'
import { keys } from '../../../data/keys.ts'
import { useWaymark } from '../../../data/waymark.tsx'
import { adminTrails as strings } from '../../../strings/admin-things.ts'
import { admin } from '../../../strings/admin.ts'
import { common } from '../../../strings/common.ts'
import { Empty } from '../../../ui/notices/empty.tsx'
import { formatCount, useFormat } from '../../../ui/format.ts'
import { tellProblem } from '../../../ui/notices/problem-notice.tsx'
import { useShortcuts } from '../../../ui/keys/shortcuts.tsx'
import { useToast } from '../../../ui/notices/toasts.tsx'
import { AdminFrame } from '../admin-frame.tsx'
import styles from '../admin.module.css'
import { Confirm } from '../confirm.tsx'
import { useFilters, useTypedFilter } from '../../../ui/filters.ts'
import { Listed } from '../loaded.tsx'
import { useChange, useList } from '../queries.ts'
import { saveFile } from '../../../ui/save-file.ts'
import { EditTrail, NewTrail } from '../trail-form.tsx'
import { TrailImportView } from '../trail-import.tsx'

interface RowActions {
  readonly onEdit: (trail: TrailSummary) => void
  readonly onRemove: (trail: TrailSummary) => void
}

function Actions({ trail, onEdit, onRemove }: RowActions & { readonly trail: TrailSummary }) {
  return (
    <div className={styles.actions}>
      <Tooltip label={common.edit}>
        <ActionIcon variant="subtle" aria-label={strings.edit(trail.name)} onClick={() => onEdit(trail)}>
          <Pencil size={17} aria-hidden />
        </ActionIcon>
      </Tooltip>
      <Tooltip label={common.delete}>
        <ActionIcon
          variant="subtle"
          color="red"
          aria-label={strings.remove(trail.name)}
          onClick={() => onRemove(trail)}
        >
          <Trash2 size={17} aria-hidden />
        </ActionIcon>
      </Tooltip>
    </div>
  )
}

function TrailTable({ trails, onEdit, onRemove }: RowActions & { readonly trails: readonly TrailSummary[] }) {
  const { length } = useFormat()
  const { head } = strings
  return (
    <table className={styles.table}>
      <thead>
        <tr>
          <th scope="col">{head.name}</th>
          <th scope="col">{head.slug}</th>
          <th scope="col">{head.id}</th>
          <th scope="col" className={styles.number}>
            {head.photos}
          </th>
          <th scope="col" className={styles.number}>
            {head.length}
          </th>
          <th scope="col">
            <VisuallyHidden>{admin.actions}</VisuallyHidden>
          </th>
        </tr>
      </thead>
      <tbody>
        {trails.map((trail) => (
          <tr key={trail.trailID} data-trail={trail.trailID}>
            <td data-label={head.name}>
              <Link to="/t/$slug" params={{ slug: trail.slug }}>
                {trail.name}
              </Link>
            </td>
            <td data-label={head.slug}>
              <code>{trail.slug}</code>
            </td>
            <td data-label={head.id}>{trail.trailID}</td>
            <td data-label={head.photos} className={styles.number}>
              {formatCount(trail.images)}
            </td>
            <td data-label={head.length} className={styles.number}>
              {trail.lengthMiles === null ? strings.noLine : length(trail.lengthMiles)}
            </td>
            <td>
              <Actions trail={trail} onEdit={onEdit} onRemove={onRemove} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function RemoveTrail({ trail, onClose }: { readonly trail: TrailSummary; readonly onClose: () => void }) {
  const toast = useToast()
  const change = useChange({
    run: ({ trails }, trailId: number) => trails.remove(trailId),
    stale: [keys.trails],
    onDone: () => {
      toast({ message: strings.removed(trail.name), tone: 'good' })
      onClose()
    },
  })
  return (
    <Confirm
      title={strings.removeTitle}
      detail={strings.removeDetail(trail.name)}
      action={common.delete}
      change={change}
      onGo={() => change.mutate(trail.trailID)}
      onClose={onClose}
    />
  )
}

function Exports() {
  const waymark = useWaymark()
  const toast = useToast()
  const save = async (take: () => Promise<void>) => {
    try {
      await take()
    } catch (error) {
      toast({ message: tellProblem(error).title, tone: 'bad' })
    }
  }
  const csv = async () => saveFile('trails.csv', 'text/csv;charset=utf-8', await waymark.trails.exportCsv())
  const geoJson = async () =>
    saveFile('trails.geojson', 'application/geo+json', JSON.stringify(await waymark.trails.exportGeoJson()))
  const icon = <Download size={16} aria-hidden />
  return (
    <>
      <Button variant="default" leftSection={icon} onClick={() => void save(csv)}>
        {strings.exportCsv}
      </Button>
      <Button variant="default" leftSection={icon} onClick={() => void save(geoJson)}>
        {strings.exportGeoJson}
      </Button>
    </>
  )
}

function TrailList() {
  const { filter, set, open } = useFilters()
  const typed = useTypedFilter('q')
  const [removed, setRemoved] = useState<TrailSummary>()
  const q = filter('q')
  const edited = filter('edit')
  const close = () => set({ edit: '' })
  const query = useList([...keys.trails, 'admin', q], ({ trails }, cursor) =>
    trails.page({ q: q === '' ? undefined : q, cursor }),
  )
  return (
    <>
      <div className={styles.bar}>
        <TextInput
          type="search"
          className={styles.grow ?? ''}
          label={strings.search}
          value={typed.value}
          onChange={(event) => typed.onChange(event.currentTarget.value)}
        />
        <Exports />
      </div>
      <Listed query={query}>
        {(trails) => {
          if (trails.length > 0)
            return (
              <TrailTable
                trails={trails}
                onEdit={({ trailID }) => open({ edit: String(trailID) })}
                onRemove={setRemoved}
              />
            )
          return q === '' ? (
            <Empty title={strings.none} detail={strings.noneDetail} />
          ) : (
            <Empty title={strings.noneFound} detail={strings.noneFoundDetail} />
          )
        }}
      </Listed>
      {edited === 'new' && <NewTrail onClose={close} />}
      {/^\d+$/.test(edited) && <EditTrail trailId={Number(edited)} onClose={close} />}
      {removed && <RemoveTrail trail={removed} onClose={() => setRemoved(undefined)} />}
    </>
  )
}

export function TrailsSection() {
  const { filter, open } = useFilters()
  const isImport = filter('view') === 'import'
  useShortcuts(strings.head.name, [
    { keys: 'n', label: strings.make, run: () => open({ view: '', edit: 'new' }) },
    { keys: 'i', label: strings.importFile, run: () => open({ view: 'import', edit: '' }) },
  ])
  const actions = isImport ? (
    <Button variant="default" onClick={() => open({ view: '' })}>
      {strings.import.back}
    </Button>
  ) : (
    <>
      <Button
        variant="default"
        leftSection={<FileUp size={16} aria-hidden />}
        onClick={() => open({ view: 'import' })}
      >
        {strings.importFile}
      </Button>
      <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => open({ edit: 'new' })}>
        {strings.make}
      </Button>
    </>
  )
  return (
    <AdminFrame section="trails" actions={actions}>
      {isImport ? <TrailImportView onDone={() => open({ view: '' })} /> : <TrailList />}
    </AdminFrame>
  )
}
