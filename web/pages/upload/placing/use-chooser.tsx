// The file chooser without an image filter: with it, Android would remove the location. Chosen files replace the
// photos that they match, and others become rows of their own.
import { useCallback, useRef, type ReactNode } from 'react'
import { placingStrings } from '../../../strings/placing.ts'
import { useToast } from '../../../ui/notices/toasts.tsx'
import { traitsOf } from '../../../upload/file-traits.ts'
import { matchOriginals, type FileTraits } from '../../../upload/match-originals.ts'
import { isReplaceable, type QueuedPhoto } from '../../../upload/photo.ts'
import { useUploads } from '../../../upload/use-uploads.ts'

const { remedy: strings } = placingStrings

const traitsOfPhoto = ({ name, facts }: QueuedPhoto): FileTraits => ({
  name,
  takenAt: facts?.takenAt,
  width: facts?.width,
  height: facts?.height,
})

export function useChooser(onAdd: (files: readonly File[]) => void): {
  readonly input: ReactNode
  readonly choose: (ids: readonly string[]) => void
} {
  const uploads = useUploads()
  const toast = useToast()
  const element = useRef<HTMLInputElement>(null)
  const named = useRef<readonly string[]>([])

  const take = async (files: readonly File[]): Promise<void> => {
    const ids = named.current
    const photos = uploads.snapshot().queue.filter((photo) => ids.includes(photo.id) && isReplaceable(photo))
    const [photo] = photos
    const [file] = files
    // Assigned to this one photo, whatever its name.
    if (ids.length === 1 && files.length === 1 && photo && file) return uploads.replace(photo.id, file)
    const traits = await Promise.all(files.map(traitsOf))
    const matches = matchOriginals(photos.map(traitsOfPhoto), traits)
    const rest: File[] = []
    let matched = 0
    for (const [index, one] of files.entries()) {
      const original = photos[matches[index] ?? -1]
      if (original) {
        matched += 1
        await uploads.replace(original.id, one)
      } else rest.push(one)
    }
    if (rest.length > 0) onAdd(rest)
    const message =
      rest.length === 0
        ? placingStrings.rematched(matched)
        : placingStrings.rematchedAndAdded(matched, rest.length)
    if (files.length > 0) toast({ message })
    return undefined
  }
  const choose = useCallback((ids: readonly string[]): void => {
    named.current = ids
    element.current?.click()
  }, [])
  const input = (
    <input
      ref={element}
      type="file"
      multiple
      hidden
      data-chooser="originals"
      aria-label={strings.chooserAll}
      onChange={({ currentTarget }) => {
        void take([...(currentTarget.files ?? [])])
        currentTarget.value = ''
      }}
    />
  )
  return { input, choose }
}
