// The site's logo and favicon: the current ones, replacing them, or returning to Waymark's own.
import { Button, FileButton, Text } from '@mantine/core'
import { useState } from 'react'
import type { Branding } from '../../../../client/client.ts'
import { maxFaviconBytes, maxLogoBytes } from '../../../../src/shared/branding-limits.ts'
import { keys } from '../../../data/keys.ts'
import { branding as strings } from '../../../strings/branding.ts'
import { formatBytes } from '../../../ui/format.ts'
import { ProblemNotice } from '../../../ui/notices/problem-notice.tsx'
import { useToast } from '../../../ui/notices/toasts.tsx'
import admin from '../admin.module.css'
import { useChange } from '../queries.ts'
import styles from './branding.module.css'
import { pictureOf } from './picture-file.ts'

type PictureName = 'logo' | 'favicon'

const maxBytes: Readonly<Record<PictureName, number>> = { logo: maxLogoBytes, favicon: maxFaviconBytes }

interface PictureProps {
  readonly name: PictureName
  /** URL of the current one; null for Waymark's own. */
  readonly address: string | null
}

function Picture({ name, address }: PictureProps) {
  const toast = useToast()
  const what = strings[name]
  const [fault, setFault] = useState('')
  const change = useChange({
    run: ({ admin: calls }, picture: Blob | null) =>
      picture === null ? calls.branding.removePicture(name) : calls.branding.setPicture(name, picture),
    stale: [keys.site],
    onDone: (_branding: Branding, picture) =>
      toast({ message: (picture ? strings.pictureSaved : strings.pictureRemoved)(what), tone: 'good' }),
  })
  async function choose(file: File | null): Promise<void> {
    if (file === null) return
    setFault('')
    const picture = await pictureOf(file).catch(() => undefined)
    if (picture === undefined) setFault(strings.unreadable)
    else if (picture.size > maxBytes[name]) setFault(strings.tooLarge(formatBytes(maxBytes[name])))
    else change.mutate(picture)
  }
  return (
    <section className={styles.picture} aria-label={what}>
      <h2>{what}</h2>
      <p className={admin.hint}>{strings[`${name}Hint`]}</p>
      {address === null ? (
        <p className={admin.hint}>{strings.standard}</p>
      ) : (
        <div className={styles.grounds}>
          {(['light', 'dark'] as const).map((scheme) => (
            <span key={scheme} data-scheme={scheme}>
              <img src={address} alt={strings.current(what)} />
            </span>
          ))}
        </div>
      )}
      <div className={admin.bar}>
        <FileButton
          accept="image/png,image/jpeg,image/webp,image/svg+xml"
          onChange={(file) => void choose(file)}
        >
          {(props) => (
            <Button
              {...props}
              variant="default"
              loading={change.isPending}
              aria-label={`${what}: ${strings.choose}`}
            >
              {strings.choose}
            </Button>
          )}
        </FileButton>
        {address !== null && (
          <Button
            variant="default"
            disabled={change.isPending}
            aria-label={`${what}: ${strings.remove}`}
            onClick={() => change.mutate(null)}
          >
            {strings.remove}
          </Button>
        )}
      </div>
      {fault !== '' && (
        <Text c="red" role="alert">
          {fault}
        </Text>
      )}
      {change.error && <ProblemNotice error={change.error} />}
    </section>
  )
}

export function BrandingPictures({ logo, favicon }: Pick<Branding, 'logo' | 'favicon'>) {
  return (
    <div className={admin.form}>
      <Picture name="logo" address={logo} />
      <Picture name="favicon" address={favicon} />
    </div>
  )
}
