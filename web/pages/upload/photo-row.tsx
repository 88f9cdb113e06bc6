// One photo: thumbnail, metadata, messages, and progress.
import { ActionIcon, Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { FileWarning, Image as ImageIcon, MapPinned, Pause, Play, X } from 'lucide-react'
import { memo } from 'react'
import { common } from '../../strings/common.ts'
import { pageLanguage } from '../../strings/language.ts'
import { uploadStrings } from '../../strings/upload.ts'
import { CopyButton } from '../../ui/fields/copy-button.tsx'
import { isEditable, isUnderWay, isWorthRetrying, type QueuedPhoto } from '../../upload/photo.ts'
import { isPlaceless, type NeighbourOffer } from '../../upload/placeless.ts'
import { failureOf } from '../../upload/queue-view.ts'
import { useUploads } from '../../upload/use-uploads.ts'
import { PhotoFactsLine } from './photo-facts.tsx'
import { PhotoQuestion } from './photo-question.tsx'
import { MissingPlace, type MissingPlaceProps } from './placing/missing-place.tsx'
import { PhotoTextFields } from './photo-text-fields.tsx'
import { ReplaceButton } from './replace-button.tsx'
import styles from './upload.module.css'
import { usePreview } from './use-preview.ts'
import { useTakeOut } from './use-take-out.ts'

const { row, state: stateWords } = uploadStrings

type Tone = 'good' | 'bad' | 'ask' | 'calm'

function toneOf({ state }: QueuedPhoto): Tone {
  if (state === 'refused' || state === 'unusable') return 'bad'
  if (state === 'asking') return 'ask'
  return state === 'done' || state === 'sending' || state === 'processing' ? 'good' : 'calm'
}

function stateText({ state, waitsFor }: QueuedPhoto): string {
  if (state !== 'queued' || waitsFor === undefined) return stateWords[state]
  return waitsFor === 'connection' ? stateWords.waitsForConnection : stateWords.waitsForServer
}

function Preview({ photo }: { readonly photo: QueuedPhoto }) {
  const address = usePreview(photo)
  return (
    <div className={styles.preview}>
      {address === undefined ? (
        photo.state === 'unusable' ? (
          <FileWarning aria-hidden />
        ) : (
          <ImageIcon aria-hidden />
        )
      ) : (
        <img src={address} alt="" decoding="async" />
      )}
    </div>
  )
}

function Progress({ photo: { name, state, sentBytes, bytes } }: { readonly photo: QueuedPhoto }) {
  if (state !== 'sending' && state !== 'processing') return null
  const percent = Math.min(100, Math.round((100 * sentBytes) / Math.max(1, bytes)))
  return (
    <div
      className={styles.bar}
      role="progressbar"
      aria-label={row.progress(name)}
      aria-valuenow={percent}
      aria-valuemin={0}
      aria-valuemax={100}
      data-waiting={state === 'processing'}
    >
      <span style={{ width: `${percent}%` }} />
    </div>
  )
}

interface ActionProps {
  readonly label: string
  readonly onClick: () => void
  readonly children: React.ReactNode
}

function Action({ label, onClick, children }: ActionProps) {
  return (
    // Not a Tooltip: five hundred of them would slow the page down.
    <ActionIcon variant="subtle" color="gray" size="lg" title={label} aria-label={label} onClick={onClick}>
      {children}
    </ActionIcon>
  )
}

function Actions({ photo, onPlace }: { readonly photo: QueuedPhoto; readonly onPlace: () => void }) {
  const uploads = useUploads()
  const takeOut = useTakeOut()
  const { id, name, state } = photo
  return (
    <div className={styles.actions}>
      {isEditable(photo) && state !== 'unusable' && (
        <Action label={row.changeOf(name)} onClick={onPlace}>
          <MapPinned size={18} aria-hidden />
        </Action>
      )}
      {isUnderWay(photo) && (
        <Action label={row.pause(name)} onClick={() => uploads.dispatch({ type: 'paused', ids: [id] })}>
          <Pause size={18} aria-hidden />
        </Action>
      )}
      {state === 'paused' && (
        <Action label={row.resume(name)} onClick={() => uploads.dispatch({ type: 'resumed', ids: [id] })}>
          <Play size={18} aria-hidden />
        </Action>
      )}
      <Action label={isUnderWay(photo) ? row.cancel(name) : row.remove(name)} onClick={() => takeOut([id])}>
        <X size={18} aria-hidden />
      </Action>
    </div>
  )
}

function Failure({ photo }: { readonly photo: QueuedPhoto }) {
  const uploads = useUploads()
  const { id, name, state, problem } = photo
  if (!problem) return null
  const { title, detail } = failureOf(state, problem, pageLanguage())
  return (
    <>
      <p className={styles.told}>
        {title !== undefined && <strong>{title}.</strong>} {detail}
      </p>
      {problem.requestId !== undefined && (
        <p className={styles.request}>
          {common.problem.requestId} <code>{problem.requestId}</code>
          <CopyButton text={problem.requestId} label={common.problem.copyRequestId} />
        </p>
      )}
      <div className={styles.buttons}>
        {isWorthRetrying(photo) && (
          <Button
            size="compact-sm"
            variant="default"
            aria-label={row.retryOf(name)}
            onClick={() => uploads.retry([id])}
          >
            {row.retry}
          </Button>
        )}
        <ReplaceButton id={id} name={name} />
      </div>
    </>
  )
}

interface PhotoRowProps extends Pick<MissingPlaceProps, 'isAsking' | 'onRemedy'> {
  readonly photo: QueuedPhoto
  readonly offer: NeighbourOffer | undefined
  readonly isActive: boolean
  readonly onPlace: (id: string) => void
}

export const PhotoRow = memo(function PhotoRow(props: PhotoRowProps) {
  const { photo, isActive, onPlace, offer, isAsking, onRemedy } = props
  const { id, name, state, status } = photo
  const tone = toneOf(photo)
  const hasTexts = state !== 'unusable' && state !== 'done'
  return (
    <article
      className={styles.row}
      data-tone={tone}
      data-active={isActive}
      data-state={state}
      aria-label={name}
    >
      <Preview photo={photo} />
      <div className={styles.body}>
        <div className={styles.head}>
          <span className={styles.name}>{name}</span>
          <span className={styles.state} data-tone={tone}>
            {stateText(photo)}
          </span>
          <Actions photo={photo} onPlace={() => onPlace(id)} />
        </div>
        <PhotoFactsLine photo={photo} />
        <Progress photo={photo} />
        {state === 'done' && (
          <p className={styles.hint}>
            {uploadStrings.status[status ?? ''] ?? ''} <Link to="/photos">{row.inPhotos}</Link>
          </p>
        )}
        {(state === 'refused' || state === 'unusable') && <Failure photo={photo} />}
        {state === 'asking' && <PhotoQuestion photo={photo} />}
        {isPlaceless(photo) && (
          <MissingPlace photo={photo} offer={offer} isAsking={isAsking} onRemedy={onRemedy} />
        )}
        {hasTexts && <PhotoTextFields photo={photo} />}
      </div>
    </article>
  )
})
