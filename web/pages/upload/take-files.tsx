// Adds photos: chosen files, a folder, or the camera; and the drop area.
import { Button, Text } from '@mantine/core'
import { Camera, FileSearch, FolderOpen, ImagePlus } from 'lucide-react'
import { useRef, type RefObject } from 'react'
import { useSite } from '../../data/site.ts'
import { placingStrings } from '../../strings/placing.ts'
import { uploadStrings } from '../../strings/upload.ts'
import { chosenTypes } from '../../upload/formats/photo-kind.ts'
import { formatBytes } from '../../ui/format.ts'
import { useShortcuts } from '../../ui/keys/shortcuts.tsx'
import { shownFiles } from './dropped-files.ts'
import styles from './upload.module.css'

interface TakeFilesProps {
  readonly onFiles: (files: readonly File[]) => void
  /** Just taken with the camera, so the photo's location is that of the device. */
  readonly onTaken: (files: readonly File[]) => void
  /** Smaller when there is a list below it. */
  readonly isCompact: boolean
}

type Input = RefObject<HTMLInputElement | null>

export function TakeFiles({ onFiles, onTaken, isCompact }: TakeFilesProps) {
  const { maxImageBytes } = useSite()
  const photos: Input = useRef(null)
  const folder: Input = useRef(null)
  const camera: Input = useRef(null)
  const anyFiles: Input = useRef(null)
  useShortcuts(uploadStrings.sources, [
    { keys: 'o', label: uploadStrings.keys.choose, run: () => photos.current?.click() },
    { keys: 'Shift+O', label: uploadStrings.keys.folder, run: () => folder.current?.click() },
  ])
  const input = (ref: Input, label: string, more: object, onChosen = onFiles) => (
    <input
      ref={ref}
      type="file"
      multiple
      hidden
      aria-label={label}
      onChange={({ currentTarget }) => {
        onChosen(shownFiles(currentTarget.files))
        // The same file may be chosen again.
        currentTarget.value = ''
      }}
      {...more}
    />
  )
  return (
    <section className={styles.sources} data-compact={isCompact} aria-label={uploadStrings.sources}>
      {input(photos, uploadStrings.choose, { accept: chosenTypes })}
      {input(folder, uploadStrings.chooseFolder, { webkitdirectory: '' })}
      {input(
        camera,
        uploadStrings.takePhoto,
        { accept: 'image/*', capture: 'environment', multiple: false },
        onTaken,
      )}
      {input(anyFiles, placingStrings.browse, {})}
      <div className={styles.sourceButtons}>
        <Button leftSection={<ImagePlus size={18} aria-hidden />} onClick={() => photos.current?.click()}>
          {uploadStrings.choose}
        </Button>
        <Button
          variant="default"
          className={styles.onDesk ?? ''}
          leftSection={<FolderOpen size={18} aria-hidden />}
          onClick={() => folder.current?.click()}
        >
          {uploadStrings.chooseFolder}
        </Button>
        <Button
          variant="default"
          className={styles.onPhone ?? ''}
          leftSection={<Camera size={18} aria-hidden />}
          onClick={() => camera.current?.click()}
        >
          {uploadStrings.takePhoto}
        </Button>
        <Button
          variant="default"
          className={styles.onPhone ?? ''}
          leftSection={<FileSearch size={18} aria-hidden />}
          onClick={() => anyFiles.current?.click()}
        >
          {placingStrings.browse}
        </Button>
      </div>
      <div>
        <Text fw={600} className={styles.onDesk ?? ''}>
          {uploadStrings.drop}
        </Text>
        <Text size="sm" c="dimmed">
          {uploadStrings.dropHint(formatBytes(maxImageBytes))}
        </Text>
        <Text size="sm" c="dimmed" className={styles.onPhoneText ?? ''}>
          {placingStrings.browseHint} {placingStrings.device.takePhotoHint}
        </Text>
      </div>
    </section>
  )
}
