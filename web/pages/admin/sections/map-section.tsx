// The base map: the choices with their consequences for visitors, and a preview.
import { Alert, Button, NativeSelect, Radio, Text, TextInput } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState, type FormEvent } from 'react'
import type { SiteMap, SiteMapChoice } from '../../../../client/client.ts'
import { mapPresets } from '../../../../src/shared/map-presets.ts'
import { keys } from '../../../data/keys.ts'
import { MapView } from '../../../map/map-view.tsx'
import { adminMap as strings } from '../../../strings/admin-map.ts'
import { formatDateTime } from '../../../ui/format.ts'
import { ProblemNotice } from '../../../ui/notices/problem-notice.tsx'
import { useToast } from '../../../ui/notices/toasts.tsx'
import { AdminFrame } from '../admin-frame.tsx'
import styles from '../admin.module.css'
import { Loaded } from '../loaded.tsx'
import { MapFiles } from '../map-files.tsx'
import { useChange, useToEdit } from '../queries.ts'

interface Draft {
  readonly kind: SiteMap['choice']['kind']
  /** ID of a preset; empty for a custom URL. */
  readonly preset: string
  readonly url: string
}

const [firstPreset] = mapPresets

function draftOf({ choice: { kind, url } }: SiteMap): Draft {
  if (url === undefined) return { kind, preset: firstPreset?.url ?? '', url: '' }
  const isPreset = mapPresets.some((preset) => preset.url === url)
  return { kind, preset: isPreset ? url : '', url: isPreset ? '' : url }
}

function choiceOf({ kind, preset, url }: Draft): SiteMapChoice {
  return kind === 'style' ? { kind, url: preset === '' ? url.trim() : preset } : { kind }
}

const providerOf = ({ preset }: Draft): string =>
  mapPresets.find(({ url }) => url === preset)?.provider ?? strings.aProvider

/** Since when, and by whom. */
function standOf({ choice, setting, changedAt }: SiteMap): string {
  const isOther = JSON.stringify(choice) !== JSON.stringify(setting)
  if (changedAt === null) return setting.kind === 'none' ? strings.nobody : strings.bySettings
  const { style, file } = strings.settingsSay
  const says = setting.kind === 'style' ? style(setting.url ?? '') : setting.kind === 'file' ? file : ''
  return `${strings.chosen(formatDateTime(changedAt))}${isOther && says !== '' ? ` ${says}` : ''}`
}

function MapForm({ map }: { readonly map: SiteMap }) {
  const toast = useToast()
  const [draft, setDraft] = useState(() => draftOf(map))
  const put = (part: Partial<Draft>) => setDraft((before) => ({ ...before, ...part }))
  const wanted = choiceOf(draft)
  const isSame = JSON.stringify(wanted) === JSON.stringify(map.choice) && map.changedAt !== null
  const change = useChange({
    run: ({ admin }, choice: SiteMapChoice) => admin.map.choose(choice),
    stale: [keys.site],
    // This page still has its original policy, which blocks what a new style loads.
    reloads: ({ choice }) => choice.kind === 'style',
    onDone: () => toast({ message: strings.saved, tone: 'good' }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    change.mutate(wanted)
  }
  return (
    <form className={styles.form} onSubmit={submit}>
      <Text>{standOf(map)}</Text>
      {map.trouble !== null && (
        <Alert color="orange" role="status">
          {map.trouble}
        </Alert>
      )}
      <Radio.Group label={strings.choose} value={draft.kind} onChange={(kind) => put({ kind })}>
        <div className={styles.choices}>
          {(['style', 'file', 'none'] as const).map((kind) => {
            const { label, about } = strings.kinds[kind]
            const description = typeof about === 'string' ? about : about(providerOf(draft))
            return <Radio key={kind} value={kind} label={label} description={description} />
          })}
        </div>
      </Radio.Group>
      {draft.kind === 'style' && (
        <NativeSelect
          label={strings.style}
          value={draft.preset}
          data={[
            ...mapPresets.map(({ name, url }) => ({ value: url, label: name })),
            { value: '', label: strings.ownStyle },
          ]}
          onChange={(event) => put({ preset: event.currentTarget.value })}
        />
      )}
      {draft.kind === 'style' && draft.preset === '' && (
        <TextInput
          label={strings.url}
          description={strings.urlHint}
          type="url"
          required
          maxLength={2_000}
          value={draft.url}
          onChange={(event) => put({ url: event.currentTarget.value })}
        />
      )}
      {change.error && <ProblemNotice error={change.error} />}
      <div className={styles.bar}>
        <Button type="submit" disabled={isSame} loading={change.isPending}>
          {strings.save}
        </Button>
        {isSame && <span className={styles.hint}>{strings.unchanged}</span>}
      </div>
      {map.origins.length > 0 && (
        <p className={styles.hint}>
          {strings.origins(map.origins.map((origin) => new URL(origin).host).join(', '))}
        </p>
      )}
      <p className={styles.hint}>{strings.open}</p>
    </form>
  )
}

function Preview({ map }: { readonly map: SiteMap }) {
  const [west, south, east, north] = map.trailsBox ?? map.files.base?.content?.bounds ?? [-20, 35, 40, 65]
  return (
    <section className={styles.preview}>
      <h2>{strings.preview}</h2>
      <MapView
        key={JSON.stringify([map.choice, map.changedAt])}
        className={styles.map ?? ''}
        label={strings.previewMap}
        initialBounds={[west ?? 0, south ?? 0, east ?? 0, north ?? 0]}
        letsPageScroll
      />
    </section>
  )
}

export function MapSection() {
  const query = useToEdit([...keys.admin, 'map'], ({ admin }) => admin.map.get())
  return (
    <AdminFrame section="map">
      <Loaded query={query}>
        {(map) => (
          <>
            <div className={styles.two}>
              <MapForm key={JSON.stringify([map.choice, map.changedAt])} map={map} />
              <Preview map={map} />
            </div>
            <MapFiles map={map} />
            <Link to="/docs/$guide" params={{ guide: 'base-map' }}>
              {strings.guide}
            </Link>
          </>
        )}
      </Loaded>
    </AdminFrame>
  )
}
