// Uploads photos to a trail: from disk, folder, clipboard or camera, with a preview, surviving a lost connection.
import { useThrottledValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useState } from 'react'
import { keys } from '../../data/keys.ts'
import { useSite } from '../../data/site.ts'
import { useWaymark } from '../../data/waymark.tsx'
import { placingStrings } from '../../strings/placing.ts'
import { uploadStrings } from '../../strings/upload.ts'
import { FileDrop } from '../../ui/file-drop.tsx'
import { Gate } from '../../ui/frame/gate.tsx'
import { Page } from '../../ui/page.tsx'
import { ProblemNotice } from '../../ui/notices/problem-notice.tsx'
import type { Shortcut } from '../../ui/keys/shortcut-registry.ts'
import { useShortcuts } from '../../ui/keys/shortcuts.tsx'
import { useToast } from '../../ui/notices/toasts.tsx'
import { trailName } from '../../ui/fields/trail-name.ts'
import { isTooLong } from '../../upload/patterns.ts'
import { isEditable, isUnderWay, type ChosenTrail } from '../../upload/photo.ts'
import { placeOf } from '../../upload/queue-view.ts'
import { useUploads, useUploadsState } from '../../upload/use-uploads.ts'
import { useWaitingPhotos } from '../../upload/waiting-photos.ts'
import { BulkFill } from './bulk-fill.tsx'
import { HoldNotice } from './hold-notice.tsx'
import { PhotoList } from './photo-list.tsx'
import { titleFieldId } from './photo-text-fields.tsx'
import { PlaceDialog } from './place-dialog.tsx'
import { PlacelessPanel } from './placing/placeless-panel.tsx'
import { usePlaceless } from './placing/use-placeless.ts'
import { usePlacing } from './placing/use-placing.tsx'
import { QueueMap, type PlacedPhoto } from './queue-map.tsx'
import { QueueSummary } from './queue-summary.tsx'
import { TakeFiles } from './take-files.tsx'
import { TermsNote, usePhotoTerms } from './terms-note.tsx'
import { TrailSelect } from './trail-select.tsx'
import styles from './upload.module.css'
import { usePageTrail } from './use-page-trail.ts'
import { useIncoming } from './use-incoming.ts'
import { useTakeOut } from './use-take-out.ts'

const mapEveryMs = 1_500

/** The rejected photo to replace. */
function useAgain(imageId: number | undefined) {
  const waymark = useWaymark()
  return useQuery({
    queryKey: keys.image(imageId ?? 0),
    queryFn: () => waymark.images.get(imageId ?? 0),
    enabled: imageId !== undefined,
  }).data
}

/** Phones and browsers have no media type for it. */
const isTrack = ({ name }: File): boolean => /\.gpx$/i.test(name)

function usePlaces(): readonly PlacedPhoto[] {
  const { queue } = useUploadsState()
  const text = JSON.stringify(
    queue.flatMap((photo): readonly PlacedPhoto[] => {
      const place = placeOf(photo)
      const { id, name, state } = photo
      return place ? [{ id, name, ...place, isFailed: state === 'refused' || state === 'unusable' }] : []
    }),
  )
  // The queue changes with every chunk that is sent, but the locations rarely do.
  return useMemo(() => JSON.parse(text) as readonly PlacedPhoto[], [text])
}

function UploadDesk() {
  const uploads = useUploads()
  const { queue } = useUploadsState()
  const { trail, line, again: againId, choose, forgetAgain } = usePageTrail()
  const again = useAgain(againId)
  const terms = usePhotoTerms()
  const takeOut = useTakeOut()
  const toast = useToast()
  const [activeId, setActiveId] = useState<string>()
  const [placingId, setPlacingId] = useState<string>()
  const [isFilling, setFilling] = useState(false)
  const [isTrailMissed, setTrailMissed] = useState(false)
  const [isTyping, setTyping] = useState(false)
  const [isTypedSent, setTypedSent] = useState(false)
  // Otherwise the map would move for every single photo that is read.
  const places = useThrottledValue(usePlaces(), mapEveryMs)

  const add = async (files: readonly File[]): Promise<readonly string[]> => {
    const [first, ...others] = files
    if (!first) return []
    const texts = again ? { title: again.title, caption: again.caption } : {}
    if (again) forgetAgain()
    const ids = await uploads.add([first], { trail, ...texts })
    return [...ids, ...(await uploads.add(others, { trail }))]
  }
  const placeless = usePlaceless()
  const locating = usePlacing(placeless, (files) => void add(files))
  const take = (files: readonly File[]): void => {
    const tracks = files.filter(isTrack)
    void add(files.filter((file) => !isTrack(file)))
    if (tracks.length > 0) locating.takeTracks(tracks)
  }
  const takeFrom = useIncoming(take)

  /** The trail above the list applies to all photos without their own. */
  const trailId = trail?.trailId
  const applyTrail = (chosen: ChosenTrail | undefined): void => {
    const ids = queue
      .filter((photo) => isEditable(photo) && (!photo.trail || photo.trail.trailId === trailId))
      .map(({ id }) => id)
    uploads.dispatch({ type: 'edited', ids, texts: { trail: chosen } })
    setTrailMissed(false)
    choose(chosen)
  }
  useEffect(() => {
    // The trail came from the URL before there were any photos.
    const without = queue.filter((photo) => !photo.trail && isEditable(photo)).map(({ id }) => id)
    if (trail && without.length > 0) uploads.dispatch({ type: 'edited', ids: without, texts: { trail } })
  }, [uploads, queue, trail])

  const send = (): void => {
    // While the user is typing, the field names no definite trail.
    if (isTyping) return setTypedSent(true)
    const ready = queue.filter(({ state }) => state === 'ready')
    const tooLong = ready.filter(({ title, caption }) => isTooLong(title) || isTooLong(caption))
    const sendable = ready.filter((photo) => photo.trail !== undefined && !tooLong.includes(photo))
    setTrailMissed(ready.some((photo) => photo.trail === undefined))
    const [first] = tooLong
    if (first) {
      // It may be far down the list.
      setActiveId(first.id)
      toast({ message: uploadStrings.notSentTooLong(tooLong.length), tone: 'bad' })
    }
    uploads.release()
    uploads.dispatch({
      type: 'start',
      ids: sendable.map(({ id }) => id),
      termsVersion: terms.data?.version ?? null,
    })
  }

  const step = (by: 1 | -1): void => {
    const at = queue.findIndex(({ id }) => id === activeId)
    const next = queue[at === -1 ? (by === 1 ? 0 : queue.length - 1) : at + by]
    if (next) setActiveId(next.id)
  }
  const active = queue.find(({ id }) => id === activeId)
  const { keys: keyWords } = uploadStrings
  const hasPlaceless = placeless.ids.length > 0
  const shortcuts: readonly Shortcut[] = [
    { keys: 'Mod+Enter', label: keyWords.send, isAllowedInText: true, run: send },
    {
      keys: 'p',
      label: keyWords.pause,
      run: () => {
        const underWay = queue.filter(isUnderWay)
        const paused = queue.filter(({ state }) => state === 'paused')
        const [type, photos] =
          underWay.length > 0 ? (['paused', underWay] as const) : (['resumed', paused] as const)
        uploads.dispatch({ type, ids: photos.map(({ id }) => id) })
      },
    },
    { keys: 'b', label: keyWords.fill, run: () => setFilling(queue.some(isEditable)) },
    { keys: 'j', label: keyWords.next, run: () => step(1) },
    { keys: 'k', label: keyWords.previous, run: () => step(-1) },
    {
      keys: 't',
      label: keyWords.title,
      run: () => active && document.querySelector<HTMLElement>(`#${titleFieldId(active.id)}`)?.focus(),
    },
    {
      keys: 'e',
      label: keyWords.place,
      run: () => active && isEditable(active) && setPlacingId(active.id),
    },
    {
      keys: 'x',
      label: placingStrings.keys.track,
      run: () => locating.onRemedy('track', undefined),
    },
    {
      keys: 'l',
      label: placingStrings.keys.line,
      run: () => hasPlaceless && locating.onRemedy('line', undefined),
    },
    {
      keys: 'h',
      label: placingStrings.keys.device,
      run: () => hasPlaceless && locating.onRemedy('device', undefined),
    },
    {
      keys: 'Delete',
      label: keyWords.remove,
      run: () => {
        if (!active) return
        step(queue.at(-1)?.id === active.id ? -1 : 1)
        takeOut([active.id])
      },
    },
  ]
  const placing = queue.find(({ id }) => id === placingId)
  // No shortcuts while a dialog covers the page.
  useShortcuts(uploadStrings.title, placing || isFilling || locating.isOpen ? [] : shortcuts)
  const onPlace = useCallback((id: string) => setPlacingId(id), [])
  const onSelect = useCallback((id: string) => setActiveId(id), [])
  const hasRows = queue.length > 0
  let trailError: string | undefined = isTrailMissed ? uploadStrings.noTrail : undefined
  if (isTypedSent) trailError = uploadStrings.trailNotChosen(trail && trailName(trail))
  return (
    <Page
      title={uploadStrings.title}
      lead={again ? uploadStrings.leadAgain(again.title) : uploadStrings.lead}
    >
      <div className={styles.setup}>
        <TrailSelect
          trail={trail}
          onChange={applyTrail}
          description={uploadStrings.trailHint}
          onTyping={(is) => {
            setTyping(is)
            setTypedSent(false)
          }}
          error={trailError}
        />
        {terms.data && <TermsNote terms={terms.data} />}
        {terms.isError && <ProblemNotice error={terms.error} onRetry={() => void terms.refetch()} />}
      </div>
      <TakeFiles
        onFiles={take}
        onTaken={(files) => void locating.placeTaken(add(files))}
        isCompact={hasRows}
      />
      <HoldNotice />
      {hasRows && <QueueSummary onSend={send} onFill={() => setFilling(true)} />}
      {hasPlaceless && (
        <PlacelessPanel
          ids={placeless.ids}
          offers={placeless.offers}
          isAsking={locating.isAsking}
          onRemedy={locating.onRemedy}
        />
      )}
      {hasRows && (
        <div className={styles.work} data-map={places.length > 0}>
          <PhotoList
            queue={queue}
            activeId={activeId}
            onPlace={onPlace}
            offers={placeless.offers}
            isAsking={locating.isAsking}
            onRemedy={locating.onRemedy}
          />
          {places.length > 0 && (
            <QueueMap photos={places} line={line} activeId={activeId} onSelect={onSelect} />
          )}
        </div>
      )}
      <FileDrop label={uploadStrings.dropNow} take={takeFrom} />
      {placing && <PlaceDialog photo={placing} onClose={() => setPlacingId(undefined)} />}
      {locating.parts}
      {isFilling && <BulkFill onClose={() => setFilling(false)} />}
    </Page>
  )
}

export function UploadPage() {
  const waiting = useWaitingPhotos(useSite().viewer === null)
  return (
    <Gate
      title={uploadStrings.title}
      detail={waiting > 0 ? uploadStrings.waitingHere(waiting) : uploadStrings.signedOut}
    >
      <UploadDesk />
    </Gate>
  )
}
