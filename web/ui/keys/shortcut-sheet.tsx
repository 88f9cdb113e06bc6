// The sheet under `?`: what can be pressed on the page as it stands, read from the registry that handles it.
import { common } from '../../strings/common.ts'
import { Dialog } from '../dialog.tsx'
import { keyNames } from './shortcut-registry.ts'
import { useShortcutGroups } from './shortcuts.tsx'
import styles from './shortcut-sheet.module.css'

export function ShortcutSheet({ onClose }: { readonly onClose: () => void }) {
  const groups = useShortcutGroups().toReversed()
  return (
    <Dialog onClose={onClose} title={common.shortcuts} size="lg">
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
    </Dialog>
  )
}
