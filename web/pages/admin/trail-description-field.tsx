// The description in the trail form: Markdown with a counter and a preview.
import { Tabs, Text, Textarea } from '@mantine/core'
import { lazy, Suspense, useId, useState } from 'react'
import { countCharacters } from '../../../src/shared/text/characters.ts'
import { adminTrails } from '../../strings/admin-things.ts'
import { formatCount } from '../../ui/format.ts'
import styles from './admin.module.css'

const Markdown = lazy(async () => ({ default: (await import('../../ui/markdown/markdown.tsx')).Markdown }))

const strings = adminTrails.form
/** The server's limit (contract C53). */
const maxCharacters = 20_000

interface TrailDescriptionFieldProps {
  readonly text: string
  readonly onChange: (text: string) => void
}

export const isTooLong = (text: string): boolean => countCharacters(text) > maxCharacters

export function TrailDescriptionField({ text, onChange }: TrailDescriptionFieldProps) {
  const id = useId()
  const [tab, setTab] = useState<string | null>('write')
  const counted = strings.counter(formatCount(countCharacters(text)), formatCount(maxCharacters))
  return (
    <div>
      <label htmlFor={id}>
        <Text fw={500} size="sm" component="span">
          {strings.description}
        </Text>
      </label>
      <Tabs value={tab} onChange={setTab} keepMounted={false}>
        <Tabs.List aria-label={strings.writeOrPreview}>
          <Tabs.Tab value="write">{strings.write}</Tabs.Tab>
          <Tabs.Tab value="preview">{strings.previewText}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="write" pt="xs">
          <Textarea
            id={id}
            description={strings.descriptionHint}
            autosize
            minRows={5}
            maxRows={16}
            value={text}
            error={isTooLong(text) ? counted : undefined}
            onChange={({ currentTarget }) => onChange(currentTarget.value)}
          />
          {!isTooLong(text) && <p className={styles.hint}>{counted}</p>}
        </Tabs.Panel>
        <Tabs.Panel value="preview" pt="xs">
          {text.trim() === '' ? (
            <p className={styles.hint}>{strings.noText}</p>
          ) : (
            <Suspense>
              <Markdown text={text} below={2} />
            </Suspense>
          )}
        </Tabs.Panel>
      </Tabs>
    </div>
  )
}
