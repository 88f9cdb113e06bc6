// The actions on a photo's page: enlarge, download, share, report.
import { Button } from '@mantine/core'
import { Code, Download, Flag, Maximize, Share2 } from 'lucide-react'
import type { RefObject } from 'react'
import type { Image } from '../../../../client/client.ts'
import { baseUrl } from '../../../data/base.ts'
import { galleryStrings } from '../../../strings/gallery.ts'
import { useShare } from '../../../ui/fields/use-share.ts'
import { fileNameOf } from '../sources.ts'
import styles from './photo.module.css'

interface PhotoToolsProps {
  readonly image: Image
  readonly slug: string
  readonly download: RefObject<HTMLAnchorElement | null>
  readonly onEnlarge: () => void
  readonly onEmbed: () => void
  readonly onReport: () => void
}

export function PhotoTools({ image, slug, download, onEnlarge, onEmbed, onReport }: PhotoToolsProps) {
  const share = useShare()
  const { imageID, title, urls } = image
  const url = `${baseUrl}/t/${encodeURIComponent(slug)}/${imageID}`
  const button = { variant: 'default', size: 'compact-md' } as const
  return (
    <div className={styles.tools}>
      <Button
        {...button}
        data-needs-script
        leftSection={<Maximize size={16} aria-hidden />}
        onClick={onEnlarge}
      >
        {galleryStrings.fullScreen}
      </Button>
      <Button
        {...button}
        component="a"
        ref={download}
        href={urls.lg}
        download={fileNameOf(image)}
        leftSection={<Download size={16} aria-hidden />}
      >
        {galleryStrings.download}
      </Button>
      <Button
        {...button}
        data-needs-script
        leftSection={<Share2 size={16} aria-hidden />}
        onClick={() => void share({ url, title })}
      >
        {galleryStrings.share}
      </Button>
      <Button {...button} data-needs-script leftSection={<Code size={16} aria-hidden />} onClick={onEmbed}>
        {galleryStrings.embed}
      </Button>
      <Button {...button} data-needs-script leftSection={<Flag size={16} aria-hidden />} onClick={onReport}>
        {galleryStrings.reportThis}
      </Button>
    </div>
  )
}
