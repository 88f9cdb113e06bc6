// The layout of the editor: map and elevation, tools, and beside them the route's details and the table of points.
import { Button, FileButton, Tabs } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { Link } from '@tanstack/react-router'
import { useCallback, useDeferredValue, useMemo, useRef, useState } from 'react'
import { gpxLimits } from '../../../../src/shared/gpx/gpx.ts'
import { fileNameOf, geoJsonOf, gpxOf, sizerOf } from '../../../route-editor/route-file.ts'
import { editedPointCount, ordinalOf, pointCount, refAt } from '../../../route-editor/route-state.ts'
import { routeStrings } from '../../../strings/routes.ts'
import { editorStrings as strings } from '../../../strings/route-editor.ts'
import { formatAgo } from '../../../ui/format.ts'
import { Later } from '../../../ui/later.tsx'
import { Page } from '../../../ui/page.tsx'
import { saveFile } from '../../../ui/save-file.ts'
import { useToast } from '../../../ui/notices/toasts.tsx'
import { FileDrop } from '../../../ui/file-drop.tsx'
import { EditorFacts } from './editor-facts.tsx'
import { EditorMap } from './editor-map.tsx'
import { DraftNotice, ImportNotice, LosingNotice, SaveNotices, SizeNotice } from './editor-notices.tsx'
import { EditorToolbar } from './editor-toolbar.tsx'
import styles from './editor.module.css'
import { ElevationChart } from '../points/elevation-chart.tsx'
import { FirstChoice } from './first-choice.tsx'
import type { OpenedEditor } from './open-editor.ts'
import { PointTable } from '../points/point-table.tsx'
import { RouteDetails } from '../route/route-details.tsx'
import { SimplifyPanel } from './simplify-dialog.tsx'
import { useDraft } from './use-draft.ts'
import { useEditor, useEditorView } from './use-editor.tsx'
import { useEditorKeys } from './use-editor-keys.ts'
import { useImport } from './use-import.ts'
import { useProfile } from '../points/use-profile.ts'
import { useSave } from './use-save.ts'

function EditorChart() {
  const editor = useEditor()
  const { state, hovered, selected } = useEditorView()
  // The chart may lag behind a drag; the line itself does not.
  const segments = useDeferredValue(state.segments)
  const profile = useProfile(segments, editor.meter)
  if (!profile) return <p className={styles.noProfile}>{strings.noProfile}</p>
  const shown = hovered ?? selected
  return (
    <ElevationChart
      profile={profile}
      ordinal={shown && ordinalOf(state, shown)}
      climbMetres={editor.measures().climbMetres}
      onPoint={(ordinal) => editor.hover(ordinal === undefined ? undefined : refAt(state, ordinal))}
      onPick={(ordinal) => editor.select(refAt(state, ordinal))}
    />
  )
}

const hints = { draw: strings.drawHint, select: strings.selectHint } as const

interface EditorScreenProps {
  readonly opened: OpenedEditor
  readonly title: string
}

function useRestoredDraft({ editor, draftSavedAtMs }: OpenedEditor, discard: () => void) {
  const toast = useToast()
  const [savedAtMs, setSavedAtMs] = useState(draftSavedAtMs)
  if (savedAtMs === undefined) return null
  return (
    <DraftNotice
      ago={formatAgo(savedAtMs)}
      onClose={() => setSavedAtMs(undefined)}
      onDiscard={() => {
        discard()
        setSavedAtMs(undefined)
        toast({ message: strings.draftDiscarded, undo: editor.undo })
      }}
    />
  )
}

function useExport(): (kind: 'gpx' | 'geojson') => void {
  const editor = useEditor()
  return (kind) => {
    const state = editor.settled()
    const isGpx = kind === 'gpx'
    const mediaType = isGpx ? 'application/gpx+xml' : 'application/geo+json'
    void (isGpx ? gpxOf(state) : geoJsonOf(state)).then((text) =>
      saveFile(fileNameOf(state.name, kind), mediaType, text),
    )
  }
}

/** Estimated size in bytes if the route is too long to save; updated when the line changes. */
function useTooManyBytes(): number | undefined {
  const { state } = useEditorView()
  const { waypoints, source } = state
  const segments = useDeferredValue(state.segments)
  return useMemo(() => {
    const bytes = sizerOf({ segments, waypoints, source })()
    return bytes > gpxLimits.maxBytes ? bytes : undefined
  }, [segments, waypoints, source])
}

/** Points with details in the file that will not be saved. */
function useLosingPoints(): number {
  const { state } = useEditorView()
  const { source } = state
  const segments = useDeferredValue(state.segments)
  return source?.hasPointData === true && source.segments !== segments ? editedPointCount({ segments }) : 0
}

export function EditorScreen({ opened, title }: EditorScreenProps) {
  const editor = useEditor()
  const { state, mode, fitKey } = useEditorView()
  const toast = useToast()
  const openFiles = useRef<() => void>(null)
  const resetFiles = useRef<() => void>(null)
  const [isSimplifying, setSimplifying] = useState(false)
  const simplify = useCallback(() => pointCount(editor.settled()) > 2 && setSimplifying(true), [editor])
  const imports = useImport(
    editor,
    useCallback(() => setSimplifying(true), []),
  )
  const saving = useSave(opened)
  const { saved, saveState, save } = saving
  useDraft(opened, saved)
  const restored = useRestoredDraft(opened, () => editor.replace(saved.state, strings.steps.discardDraft))
  const exportAs = useExport()
  const tooMany = useTooManyBytes()
  const losing = useLosingPoints()

  const importFile = (file: File | null | undefined) => {
    // Without this, the browser would not report the same file chosen again.
    resetFiles.current?.()
    if (file) void imports.importFile(file)
  }
  const reverse = () => {
    if (pointCount(state) === 0) return
    editor.reverse()
    toast({ message: strings.reversed, undo: editor.undo })
  }
  const pickFile = () => openFiles.current?.()
  const actions = { onImport: pickFile, onSimplify: simplify, onReverse: reverse, onSave: save }
  useEditorKeys(actions)

  const isTouch = useMediaQuery('(pointer: coarse)')
  const isEmpty = state.segments.length === 0 && mode === 'select' && imports.percent === undefined
  const isDirty = state !== saved.state
  return (
    <Page
      title={title}
      width="full"
      actions={
        <>
          <span role="status" className={styles.kept}>
            {saveState.is === 'saving' && strings.saving}
            {saveState.is !== 'saving' && !isDirty && saved.routeId !== undefined && strings.saved}
            {isDirty && saveState.is !== 'saving' && strings.draftKept}
          </span>
          {saved.routeId !== undefined && (
            <Button
              variant="default"
              renderRoot={(props) => (
                <Link to="/routes/$routeId" params={{ routeId: String(saved.routeId) }} {...props} />
              )}
            >
              {routeStrings.open}
            </Button>
          )}
          <Button onClick={save} loading={saveState.is === 'saving'}>
            {strings.save}
          </Button>
        </>
      }
    >
      <FileButton
        resetRef={resetFiles}
        accept=".gpx,application/gpx+xml,application/xml,text/xml"
        onChange={importFile}
      >
        {({ onClick }) => {
          openFiles.current = onClick
          return null
        }}
      </FileButton>
      {restored}
      <ImportNotice {...imports} />
      <SizeNotice
        bytes={saveState.is === 'too-large' ? saveState.bytes : tooMany}
        onSimplify={() => setSimplifying(true)}
      />
      <LosingNotice count={isDirty ? losing : 0} />
      <SaveNotices {...saving} />
      <div className={styles.editor}>
        <div className={styles.stage}>
          <Later standIn={<div className={styles.tools} />}>
            <EditorToolbar
              onImport={pickFile}
              onSimplify={simplify}
              onReverse={reverse}
              onExport={exportAs}
            />
          </Later>
          <div className={styles.map}>
            <EditorMap />
            {isEmpty && <FirstChoice onDraw={() => editor.setMode('draw')} onImport={pickFile} />}
            {isSimplifying && <SimplifyPanel key={fitKey} onClose={() => setSimplifying(false)} />}
          </div>
          <p className={styles.hint}>{isTouch ? strings.touchHint : hints[mode]}</p>
          <EditorFacts />
          <EditorChart />
        </div>
        <Tabs defaultValue="details" className={styles.side ?? ''} keepMounted={false}>
          <Tabs.List>
            <Tabs.Tab value="details">{strings.details}</Tabs.Tab>
            <Tabs.Tab value="points">{strings.points}</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="details" pt="md">
            <Later>
              <RouteDetails onSave={save} isSaving={saveState.is === 'saving'} />
            </Later>
          </Tabs.Panel>
          <Tabs.Panel value="points" pt="md">
            <PointTable />
          </Tabs.Panel>
        </Tabs>
      </div>
      <FileDrop label={strings.dropHere} take={({ files }) => importFile(files[0])} />
    </Page>
  )
}
