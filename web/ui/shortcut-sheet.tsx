// The sheet under `?`: what can be pressed on the page as it stands, read from the registry that handles it.
import { Modal } from '@mantine/core'
import { common } from '../strings/common.ts'
import { keyNames, useShortcutGroups } from './shortcuts.tsx'
import styles from './shortcut-sheet.module.css'

interface ShortcutSheetProps {
  readonly isOpen: boolean
  readonly onClose: () => void
}

export function ShortcutSheet({ isOpen, onClose }: ShortcutSheetProps) {
  const groups = useShortcutGroups().toReversed()
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={common.shortcuts}
      size="lg"
      closeButtonProps={{ 'aria-label': common.close }}
    >
      <div className={styles.groups}>
        {groups.map(({ title, shortcuts }) => (
          <section key={`${title} ${shortcuts[0]?.keys ?? ''}`}>
            <h3>{title}</h3>
            <dl>
              {shortcuts.map(({ keys, label }) => (
                <div key={keys} data-shortcut={keys}>
                  <dt>
                    {keyNames(keys).map((name) => (
                      <kbd key={name}>{name}</kbd>
                    ))}
                  </dt>
                  <dd>{label}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Modal>
  )
}
