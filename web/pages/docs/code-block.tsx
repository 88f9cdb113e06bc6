// A code block with a copy button.
import { docs } from '../../strings/docs.ts'
import { CopyButton } from '../../ui/fields/copy-button.tsx'
import styles from './docs.module.css'

export function CodeBlock({ text, label = docs.code }: { readonly text: string; readonly label?: string }) {
  return (
    <div className={styles.code} role="group" aria-label={label}>
      <pre>
        <code>{text}</code>
      </pre>
      <div className={styles.copy}>
        <CopyButton text={text} label={docs.copyCode} />
      </div>
    </div>
  )
}
