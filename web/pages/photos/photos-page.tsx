// The user's photos in every state: search, edit, delete, restore, and upload again after a rejection.
import '@mantine/core/styles/FloatingIndicator.css'
import { Button, SegmentedControl, Skeleton, TextInput } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { ImagePlus } from 'lucide-react'
import { useCallback, useMemo, useState } from 'react'
import type { Image } from '../../../client/client.ts'
import { photoStrings } from '../../strings/photos.ts'
import { Empty } from '../../ui/notices/empty.tsx'
import { formatCount } from '../../ui/format.ts'
import { Gate } from '../../ui/frame/gate.tsx'
import { Page } from '../../ui/page.tsx'
import { ProblemNotice } from '../../ui/notices/problem-notice.tsx'
import { useShortcuts } from '../../ui/keys/shortcuts.tsx'
import { useTyped } from '../../ui/fields/use-typed.ts'
import { CaptionDialog } from './caption-dialog.tsx'
import { useOwnImages, useOwnTrash, usePhotoChanges } from './photo-data.ts'
import { countByTab, shownImages, tabs, usePhotoFilters } from './photo-filters.ts'
import { PhotoDrawer } from './photo-drawer.tsx'
import { PhotoSheet } from './photo-sheet.tsx'
import styles from './photos.module.css'
import { TrashList } from './trash-list.tsx'
import { useSelection } from './use-selection.ts'

function Tabs({ images }: { readonly images: readonly Image[] | undefined }) {
  const { filters, searchFor } = usePhotoFilters()
  const trash = useOwnTrash()
  const counts = images && countByTab(images, trash.data?.length)
  return (
    <nav className={styles.tabs} aria-label={photoStrings.tabsLabel}>
      {tabs.map((tab) => {
        const count = counts?.[tab]
        const name = photoStrings.tabs[tab]
        return (
          <Link
            key={tab}
            to="/photos"
            search={searchFor({ tab, photo: undefined })}
            className={styles.tab ?? ''}
            activeProps={{}}
            aria-current={tab === filters.tab ? 'page' : undefined}
          >
            {name} {count !== undefined && <span className={styles.count}>{formatCount(count)}</span>}
          </Link>
        )
      })}
    </nav>
  )
}

function Tools({ shown }: { readonly shown: number }) {
  const { filters, filter } = usePhotoFilters()
  const [text, type] = useTyped(filters.q, (q) => filter({ q }))
  return (
    <div className={styles.tools}>
      <TextInput
        type="search"
        className={styles.search ?? ''}
        aria-label={photoStrings.search}
        placeholder={photoStrings.searchHint}
        value={text}
        onChange={({ currentTarget }) => type(currentTarget.value)}
      />
      <SegmentedControl
        aria-label={photoStrings.view}
        value={filters.view}
        data={(['grid', 'list'] as const).map((value) => ({ value, label: photoStrings.views[value] }))}
        onChange={(value) => filter({ view: value })}
      />
      <p className={styles.shown} role="status">
        {photoStrings.results(shown)}
      </p>
    </div>
  )
}

function Nothing() {
  const { filters, searchFor } = usePhotoFilters()
  const isSearch = filters.q !== ''
  return (
    <Empty {...photoStrings.empty[isSearch ? 'search' : filters.tab]}>
      {isSearch ? (
        <Link to="/photos" search={searchFor({ q: '', tab: 'all' })}>
          {photoStrings.showAll}
        </Link>
      ) : (
        <Button renderRoot={(props) => <Link to="/upload" {...props} />}>{photoStrings.add}</Button>
      )}
    </Empty>
  )
}

function Photos({ images }: { readonly images: readonly Image[] }) {
  const { filters, filter } = usePhotoFilters()
  const { tab, q, view, photo } = filters
  const shown = useMemo(() => shownImages(images, { tab, q }), [images, tab, q])
  const { selected, toggle, clear, all } = useSelection(shown)
  const changes = usePhotoChanges()
  const [activeId, setActiveId] = useState<number>()
  const [isCaptioning, setCaptioning] = useState(false)
  const chosen = shown.filter(({ imageID }) => selected.has(imageID))
  const active = shown.find(({ imageID }) => imageID === activeId)
  const subjects = chosen.length > 0 ? chosen : active ? [active] : []
  const idsOf = (some: readonly Image[]): readonly number[] => some.map(({ imageID }) => imageID)
  const open = useCallback((imageId: number) => filter({ photo: imageId }, { isStep: true }), [filter])
  const remove = (some: readonly Image[]): void => {
    if (some.length === 0) return
    clear()
    void changes.remove(idsOf(some))
  }
  const step = (by: 1 | -1): void => {
    const at = shown.findIndex(({ imageID }) => imageID === activeId)
    const next = shown[at === -1 ? (by === 1 ? 0 : shown.length - 1) : at + by]
    if (next) setActiveId(next.imageID)
  }
  const { keys } = photoStrings
  const shortcuts = [
    { keys: 'j', label: keys.next, run: () => step(1) },
    { keys: 'k', label: keys.previous, run: () => step(-1) },
    { keys: 'e', label: keys.open, run: () => active && open(active.imageID) },
    { keys: 'x', label: keys.select, run: () => active && toggle(active.imageID, false) },
    { keys: 'a', label: keys.all, run: () => (chosen.length === shown.length ? clear() : all()) },
    { keys: 'c', label: keys.caption, run: () => setCaptioning(subjects.length > 0) },
    { keys: 'Delete', label: keys.delete, run: () => remove(subjects) },
    { keys: 'v', label: keys.view, run: () => filter({ view: view === 'grid' ? 'list' : 'grid' }) },
  ]
  // No delete by key while a drawer or dialog covers the list.
  useShortcuts(photoStrings.title, photo === undefined && !isCaptioning ? shortcuts : [])
  return (
    <>
      <Tools shown={shown.length} />
      {shown.length === 0 ? (
        <Nothing />
      ) : (
        <PhotoSheet
          label={photoStrings.tabs[tab]}
          images={shown}
          view={view}
          selected={selected}
          activeId={activeId}
          onSelect={toggle}
          onOpen={open}
        />
      )}
      {chosen.length > 0 && (
        <section className={styles.bulk} aria-label={photoStrings.bulk.label}>
          <strong>{photoStrings.bulk.selected(chosen.length)}</strong>
          {chosen.length < shown.length && (
            <Button size="compact-md" variant="default" onClick={all}>
              {photoStrings.bulk.all(shown.length)}
            </Button>
          )}
          <Button size="compact-md" variant="default" onClick={clear}>
            {photoStrings.bulk.none}
          </Button>
          <Button size="compact-md" variant="default" onClick={() => setCaptioning(true)}>
            {photoStrings.bulk.caption}
          </Button>
          <Button size="compact-md" onClick={() => remove(chosen)}>
            {photoStrings.bulk.delete}
          </Button>
        </section>
      )}
      {isCaptioning && (
        <CaptionDialog
          count={subjects.length}
          onClose={() => setCaptioning(false)}
          onApply={(caption) => {
            setCaptioning(false)
            void changes.caption(subjects, caption)
          }}
        />
      )}
      {photo !== undefined && (
        <PhotoDrawer key={photo} imageId={photo} onClose={() => filter({ photo: undefined })} />
      )}
    </>
  )
}

function OwnPhotos() {
  const images = useOwnImages()
  const { filters } = usePhotoFilters()
  return (
    <Page
      title={photoStrings.title}
      lead={photoStrings.lead}
      actions={
        <Button
          leftSection={<ImagePlus size={18} aria-hidden />}
          renderRoot={(props) => <Link to="/upload" {...props} />}
        >
          {photoStrings.add}
        </Button>
      }
    >
      <Tabs images={images.data} />
      {filters.tab === 'trash' && <TrashList />}
      {filters.tab !== 'trash' && images.isError && (
        <ProblemNotice error={images.error} onRetry={() => void images.refetch()} />
      )}
      {filters.tab !== 'trash' && images.isPending && <Skeleton height={420} data-skeleton />}
      {filters.tab !== 'trash' && images.data && <Photos images={images.data} />}
    </Page>
  )
}

export function PhotosPage() {
  return (
    <Gate title={photoStrings.title} detail={photoStrings.signedOut}>
      <OwnPhotos />
    </Gate>
  )
}
