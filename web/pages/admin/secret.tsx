// A link or secret that is shown once, to be copied.
import { Text } from '@mantine/core'
import { CopyButton } from '../../ui/fields/copy-button.tsx'
import styles from './admin.module.css'

interface SecretProps {
  readonly title: string
  readonly text: string
  readonly copyLabel: string
}

export function Secret({ title, text, copyLabel }: SecretProps) {
  return (
    <div className={styles.secret} role="status">
      <Text size="sm">{title}</Text>
      <code data-secret>{text}</code>
      <div>
        <CopyButton text={text} label={copyLabel} hasWords />
      </div>
    </div>
  )
}
