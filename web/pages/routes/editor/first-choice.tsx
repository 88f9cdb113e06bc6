// The first choice of an empty route: draw it, or import a file.
import { FileUp, Pencil } from 'lucide-react'
import { editorStrings as strings } from '../../../strings/route-editor.ts'
import styles from './editor.module.css'

interface FirstChoiceProps {
  readonly onDraw: () => void
  readonly onImport: () => void
}

export function FirstChoice({ onDraw, onImport }: FirstChoiceProps) {
  return (
    <section className={styles.first} aria-label={strings.firstTitle}>
      <h2>{strings.firstTitle}</h2>
      <div>
        <button type="button" onClick={onDraw}>
          <Pencil size={26} aria-hidden />
          <strong>
            {strings.firstDraw} <kbd aria-hidden>d</kbd>
          </strong>
          <span>{strings.firstDrawDetail}</span>
        </button>
        <button type="button" onClick={onImport}>
          <FileUp size={26} aria-hidden />
          <strong>
            {strings.firstImport} <kbd aria-hidden>o</kbd>
          </strong>
          <span>{strings.firstImportDetail}</span>
        </button>
      </div>
      <p>{strings.firstDetail}</p>
    </section>
  )
}
