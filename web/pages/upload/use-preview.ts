// The thumbnail of a photo as an object URL, while its row is rendered.
import { useEffect, useState } from 'react'
import type { QueuedPhoto } from '../../upload/photo.ts'
import { useUploads } from '../../upload/use-uploads.ts'

export function usePreview({ id, facts }: QueuedPhoto): string | undefined {
  const uploads = useUploads()
  const [address, setAddress] = useState<string>()
  useEffect(() => {
    let isGone = false
    let made: string | undefined
    const show = async (): Promise<void> => {
      // Another file in the same row has other metadata, and another thumbnail.
      const preview = facts && (await uploads.file(id))?.preview
      if (isGone || preview === undefined) return
      made = URL.createObjectURL(preview)
      setAddress(made)
    }
    void show()
    return () => {
      isGone = true
      if (made !== undefined) URL.revokeObjectURL(made)
      setAddress(undefined)
    }
  }, [uploads, id, facts])
  return address
}
