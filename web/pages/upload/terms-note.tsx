// The licence of the photos and the upload terms: the displayed version is the one that is sent.
import { Anchor, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { PhotoTerms } from '../../../client/client.ts'
import { useWaymark } from '../../data/waymark.tsx'
import { uploadStrings } from '../../strings/upload.ts'
import styles from './upload.module.css'

export function usePhotoTerms() {
  const waymark = useWaymark()
  return useQuery({ queryKey: ['terms'], queryFn: () => waymark.terms(), staleTime: 60_000 })
}

export function TermsNote({ terms: { licence, terms } }: { readonly terms: PhotoTerms }) {
  if (licence === null && terms === null) return null
  return (
    <div className={styles.terms}>
      {licence !== null && (
        <Text size="sm">
          {uploadStrings.licence}{' '}
          {licence.url === undefined ? (
            licence.name
          ) : (
            <Anchor href={licence.url} target="_blank" rel="noreferrer" inherit underline="always">
              {licence.name}
            </Anchor>
          )}
          .
        </Text>
      )}
      {terms !== null && (
        <details>
          <summary>{uploadStrings.terms}</summary>
          <Text size="sm" className={styles.termsText ?? ''}>
            {terms.text}
          </Text>
          {terms.url !== undefined && (
            <Anchor href={terms.url} target="_blank" rel="noreferrer" size="sm" underline="always">
              {uploadStrings.termsMore}
            </Anchor>
          )}
        </details>
      )}
    </div>
  )
}
