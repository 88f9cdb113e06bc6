// The links in the site's footer, edited as one list.
import { ActionIcon, Button, TextInput, Tooltip } from '@mantine/core'
import { Plus, X } from 'lucide-react'
import { isBrandLink } from '../../../../src/shared/brand-links.ts'
import { maxFooterLabelLength, maxFooterLinks } from '../../../../src/shared/branding-limits.ts'
import { branding as strings } from '../../../strings/branding.ts'
import admin from '../admin.module.css'
import styles from './branding.module.css'

export interface LinkRow {
  readonly id: number
  readonly label: string
  readonly url: string
}

export const isSoundLink = ({ label, url }: LinkRow): boolean =>
  label.trim() !== '' && isBrandLink(url.trim())

interface FooterLinksProps {
  readonly rows: readonly LinkRow[]
  readonly showsFaults: boolean
  readonly onChange: (rows: readonly LinkRow[]) => void
}

export function FooterLinks({ rows, showsFaults, onChange }: FooterLinksProps) {
  const put = (id: number, part: Partial<LinkRow>) =>
    onChange(rows.map((row) => (row.id === id ? { ...row, ...part } : row)))
  const add = () =>
    onChange([...rows, { id: Math.max(0, ...rows.map(({ id }) => id)) + 1, label: '', url: '' }])
  return (
    <fieldset className={styles.links}>
      <legend>{strings.links}</legend>
      <p className={admin.hint}>{strings.linksHint}</p>
      <ul className={admin.list}>
        {rows.map(({ id, label, url }, at) => (
          <li key={id} className={styles.link}>
            <TextInput
              aria-label={strings.labelOf(at + 1)}
              placeholder={strings.label}
              maxLength={maxFooterLabelLength}
              value={label}
              error={showsFaults && label.trim() === '' && strings.labelWrong}
              onChange={(event) => put(id, { label: event.currentTarget.value })}
            />
            <TextInput
              aria-label={strings.urlOf(at + 1)}
              placeholder={strings.url}
              value={url}
              error={showsFaults && !isBrandLink(url.trim()) && strings.urlWrong}
              onChange={(event) => put(id, { url: event.currentTarget.value })}
            />
            <Tooltip label={strings.removeLink(at + 1)}>
              <ActionIcon
                variant="subtle"
                color="red"
                size="lg"
                aria-label={strings.removeLink(at + 1)}
                onClick={() => onChange(rows.filter((row) => row.id !== id))}
              >
                <X size={17} aria-hidden />
              </ActionIcon>
            </Tooltip>
          </li>
        ))}
      </ul>
      {rows.length < maxFooterLinks && (
        <Button variant="default" leftSection={<Plus size={16} aria-hidden />} onClick={add}>
          {strings.addLink}
        </Button>
      )}
    </fieldset>
  )
}
