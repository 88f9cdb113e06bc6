// The button of the menu; it stands there by itself until the menu has come.
import { Button, type ButtonProps } from '@mantine/core'
import { Menu as MenuIcon } from 'lucide-react'
import type { ComponentPropsWithRef } from 'react'
import { useViewer } from '../../data/site.ts'
import { common } from '../../strings/common.ts'
import styles from './frame.module.css'

export function MenuButton(props: ButtonProps & ComponentPropsWithRef<'button'>) {
  const viewer = useViewer()
  return (
    <Button
      variant="subtle"
      color="gray"
      name="menu" // by which it is known, whoever is signed in (rendering/pressed-before.ts)
      data-needs-script
      {...props}
      className={styles.viewer ?? ''}
      aria-label={viewer ? common.menuOf(viewer.displayName) : common.menu}
      leftSection={<MenuIcon size={18} aria-hidden />}
    >
      <span className={styles.name}>{viewer?.displayName ?? common.menu}</span>
    </Button>
  )
}
