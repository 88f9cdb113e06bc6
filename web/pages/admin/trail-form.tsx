// Creates or edits a trail: name, slug, description, and its line from a file.
import { Button, Group, TextInput } from '@mantine/core'
import { useState, type FormEvent } from 'react'
import { isWaymarkProblem, type Answer, type Trail } from '../../../client/client.ts'
import { keys } from '../../data/keys.ts'
import { adminTrails } from '../../strings/admin-things.ts'
import { admin } from '../../strings/admin.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { ProblemNotice } from '../../ui/notices/problem-notice.tsx'
import { useToast } from '../../ui/notices/toasts.tsx'
import styles from './admin.module.css'
import type { MeasuredLine } from './line-file.ts'
import { Loaded } from './loaded.tsx'
import { useChange, useToEdit } from './queries.ts'
import { isTooLong, TrailDescriptionField } from './trail-description-field.tsx'
import { TrailLineField } from './trail-line-field.tsx'

const strings = adminTrails.form

interface Draft {
  readonly name: string
  readonly slug: string
  readonly trailID: string
  readonly description: string
  readonly line: MeasuredLine | undefined
}

/** The stored line, measured again for the text below the map. */
async function lineOf({ geometry }: Trail): Promise<MeasuredLine | undefined> {
  if (geometry === null) return undefined
  const { linesOfGeoJson, measured } = await import('./line-file.ts')
  return measured(linesOfGeoJson(geometry))
}

interface FieldsProps {
  readonly initial: Draft
  readonly isNew: boolean
  readonly change: { readonly isPending: boolean; readonly error: unknown }
  readonly onReload: () => void
  readonly onSave: (draft: Draft) => void
}

function Fields({ initial, isNew, change, onReload, onSave }: FieldsProps) {
  const [draft, setDraft] = useState(initial)
  const put = (part: Partial<Draft>) => setDraft((before) => ({ ...before, ...part }))
  const isOverrun = isWaymarkProblem(change.error) && change.error.status === 412
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onSave(draft)
  }
  return (
    <form className={styles.form} onSubmit={submit}>
      <TextInput
        label={strings.name}
        required
        maxLength={256}
        data-autofocus
        value={draft.name}
        onChange={(event) => put({ name: event.currentTarget.value })}
      />
      <TextInput
        label={strings.slug}
        description={strings.slugHint}
        value={draft.slug}
        onChange={(event) => put({ slug: event.currentTarget.value })}
      />
      {isNew && (
        <TextInput
          label={strings.id}
          description={strings.idHint}
          inputMode="numeric"
          pattern="[1-9][0-9]{0,15}"
          value={draft.trailID}
          onChange={(event) => put({ trailID: event.currentTarget.value })}
        />
      )}
      <TrailDescriptionField text={draft.description} onChange={(description) => put({ description })} />
      <TrailLineField line={draft.line} onChange={(line) => put({ line })} />
      {Boolean(change.error) && (
        <ProblemNotice error={change.error} order={3}>
          {isOverrun && (
            <Button variant="default" onClick={onReload}>
              {admin.loadAnew}
            </Button>
          )}
        </ProblemNotice>
      )}
      <Group>
        <Button type="submit" loading={change.isPending} disabled={isTooLong(draft.description)}>
          {isNew ? strings.make : strings.save}
        </Button>
      </Group>
    </form>
  )
}

const empty: Draft = { name: '', slug: '', trailID: '', description: '', line: undefined }

const bodyOf = ({ name, slug, description, line }: Draft) => ({
  name,
  description,
  slug: slug.trim() === '' ? undefined : slug.trim(),
  geometry: line?.geometry ?? null,
})

export function NewTrail({ onClose }: { readonly onClose: () => void }) {
  const toast = useToast()
  const change = useChange({
    run: ({ trails }, draft: Draft) =>
      trails.create({
        ...bodyOf(draft),
        trailID: draft.trailID === '' ? undefined : Number(draft.trailID),
      }),
    stale: [keys.trails],
    onDone: ({ name }) => {
      toast({ message: strings.made(name), tone: 'good' })
      onClose()
    },
  })
  return (
    <Dialog size="lg" onClose={onClose} title={adminTrails.make} staysOpen>
      <Fields initial={empty} isNew change={change} onReload={onClose} onSave={change.mutate} />
    </Dialog>
  )
}

interface Edited {
  readonly etag: string | undefined
  readonly draft: Draft
}

async function readEdited({ data, etag }: Answer<Trail>): Promise<Edited> {
  const { name, slug, trailID, description } = data
  return {
    etag,
    draft: { name, slug, trailID: String(trailID), description, line: await lineOf(data) },
  }
}

export function EditTrail({ trailId, onClose }: { readonly trailId: number; readonly onClose: () => void }) {
  const toast = useToast()
  const key = [...keys.admin, 'trail', trailId]
  const query = useToEdit(key, async ({ send }) =>
    readEdited(await send<Trail>('GET', `/v2/trails/${trailId}`)),
  )
  const change = useChange({
    run: ({ trails }, { draft, etag }: Edited) => trails.replace(trailId, bodyOf(draft), { ifMatch: etag }),
    stale: [keys.trails],
    onDone: ({ name }) => {
      toast({ message: strings.saved(name), tone: 'good' })
      onClose()
    },
  })
  return (
    <Dialog size="lg" onClose={onClose} title={query.data?.draft.name ?? adminTrails.head.name} staysOpen>
      <Loaded query={query}>
        {({ draft, etag }) => (
          <Fields
            key={etag}
            initial={draft}
            isNew={false}
            change={change}
            onReload={() => {
              change.reset()
              void query.refetch()
            }}
            onSave={(changed) => change.mutate({ draft: changed, etag })}
          />
        )}
      </Loaded>
    </Dialog>
  )
}
