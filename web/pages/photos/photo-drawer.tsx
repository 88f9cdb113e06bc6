// One of the user's photos, opened: large, with its editable fields, its status, and its history.
import { Button, Drawer, Group, Skeleton, Stack, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ExternalLink, Trash2 } from 'lucide-react'
import { isWaymarkProblem, type Image } from '../../../client/client.ts'
import { keys } from '../../data/keys.ts'
import { useWaymark } from '../../data/waymark.tsx'
import { photoStrings } from '../../strings/photos.ts'
import { Empty } from '../../ui/notices/empty.tsx'
import { formatBytes, formatDateTime } from '../../ui/format.ts'
import { ProblemNotice } from '../../ui/notices/problem-notice.tsx'
import { Reason } from './photo-card.tsx'
import { useHistory, usePhotoChanges } from './photo-data.ts'
import { statusWord, titleOf } from './photo-filters.ts'
import { PhotoForm } from './photo-form.tsx'
import styles from './photos.module.css'

const { detail: strings } = photoStrings

function History({ imageId }: { readonly imageId: number }) {
  const { data, isError, error, refetch } = useHistory(imageId)
  if (!data)
    return isError ? (
      <ProblemNotice error={error} order={3} onRetry={() => void refetch()} />
    ) : (
      <Skeleton height={80} />
    )
  return (
    <ol className={styles.history}>
      {data.map(({ position, at, from, to, reason, reasonLabel, actor }) => (
        <li key={position}>
          <p>
            <strong>{photoStrings.moves[from === null ? 'upload' : to] ?? to}</strong>
            {actor && ` ${strings.by(actor.displayName)}`}
            {reason !== null && `: ${reasonLabel ?? reason}`}
          </p>
          <p className={styles.about}>{formatDateTime(at)}</p>
        </li>
      ))}
    </ol>
  )
}

function Facts({ image }: { readonly image: Image }) {
  const { trailName, postedAt, width, height, bytes, mimeType, licence } = image
  return (
    <dl className={styles.facts}>
      <dt>{strings.trail}</dt>
      <dd>{trailName}</dd>
      <dt>{strings.sent}</dt>
      <dd>{formatDateTime(postedAt)}</dd>
      <dt>{strings.file}</dt>
      <dd>
        {mimeType.replace('image/', '').toUpperCase()}, {width} × {height}, {formatBytes(bytes)}
      </dd>
      {licence !== null && (
        <>
          <dt>{strings.licence}</dt>
          <dd>{licence}</dd>
        </>
      )}
    </dl>
  )
}

interface PhotoDrawerProps {
  readonly imageId: number
  readonly onClose: () => void
}

function PhotoDetail({ imageId, onClose }: PhotoDrawerProps) {
  const waymark = useWaymark()
  const { remove } = usePhotoChanges()
  const read = useQuery({
    queryKey: [...keys.image(imageId), 'etag'],
    queryFn: async () => {
      const { data, etag } = await waymark.images.getWithEtag(imageId)
      return { image: data, etag: etag ?? '' }
    },
  })
  // Once loaded it stays: a failed refetch must not discard what was typed.
  const isMissing = isWaymarkProblem(read.error) && read.error.status === 404
  if (!read.data && isMissing) return <Empty title={strings.missing} detail={strings.missingDetail} />
  if (!read.data)
    return read.isError ? (
      <ProblemNotice error={read.error} onRetry={() => void read.refetch()} />
    ) : (
      <Skeleton height={320} />
    )
  const { image, etag } = read.data
  return (
    <Stack>
      <img
        className={styles.large}
        src={image.urls['640']}
        alt={titleOf(image)}
        width={image.width}
        height={image.height}
      />
      <Group gap="sm">
        <span className={styles.pill} data-status={image.status}>
          {statusWord(image)}
        </span>
        {(image.status === 'rejected' || image.status === 'removed') && <Reason image={image} />}
      </Group>
      <Group gap="sm">
        {image.status === 'approved' && (
          <Button
            variant="default"
            leftSection={<ExternalLink size={16} aria-hidden />}
            renderRoot={(props) => <Link to="/i/$imageId" params={{ imageId: String(imageId) }} {...props} />}
          >
            {strings.gallery}
          </Button>
        )}
        {image.status === 'rejected' && (
          <Button
            renderRoot={(props) => (
              <Link
                to="/upload"
                search={{ trail: String(image.trailID), again: String(imageId) }}
                {...props}
              />
            )}
          >
            {photoStrings.again}
          </Button>
        )}
        <Button
          variant="default"
          leftSection={<Trash2 size={16} aria-hidden />}
          onClick={() => {
            onClose()
            void remove([imageId])
          }}
        >
          {strings.delete}
        </Button>
      </Group>
      {/* Input survives refetches; another photo gets a new form. */}
      <PhotoForm key={imageId} image={image} etag={etag} onStale={() => read.refetch()} />
      <Facts image={image} />
      <Title order={3} size="h5">
        {strings.history}
      </Title>
      <History imageId={imageId} />
    </Stack>
  )
}

export function PhotoDrawer({ imageId, onClose }: PhotoDrawerProps) {
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size="md"
      title={strings.heading}
      closeButtonProps={{ 'aria-label': strings.close }}
    >
      <PhotoDetail imageId={imageId} onClose={onClose} />
    </Drawer>
  )
}
