// The menu at the end of the bar: account, admin and docs, keys, colours, units, signing out.
import { Menu, useMantineColorScheme, type MantineColorScheme } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Keyboard } from 'lucide-react'
import { useRef } from 'react'
import { href } from '../data/base.ts'
import { useViewer } from '../data/site.ts'
import { common } from '../strings/common.ts'
import styles from './frame.module.css'
import { MenuButton } from './menu-button.tsx'
import { pagesFor } from './pages.ts'
import { prefer, usePreferences } from './preferences.ts'

const colourNames: readonly MantineColorScheme[] = ['light', 'dark', 'auto']

function Preferences() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const { units } = usePreferences()
  return (
    <>
      <Menu.Label>{common.colours}</Menu.Label>
      {colourNames.map((name) => (
        <Menu.Item
          key={name}
          role="menuitemradio"
          aria-checked={colorScheme === name}
          className={styles.choice ?? ''}
          onClick={() => setColorScheme(name)}
        >
          {common.colourNames[name]}
        </Menu.Item>
      ))}
      <Menu.Label>{common.units}</Menu.Label>
      {(['kilometres', 'miles'] as const).map((name) => (
        <Menu.Item
          key={name}
          role="menuitemradio"
          aria-checked={units === name}
          className={styles.choice ?? ''}
          onClick={() => prefer({ units: name })}
        >
          {common.unitNames[name]}
        </Menu.Item>
      ))}
    </>
  )
}

export function AccountMenu({ onShortcuts }: { readonly onShortcuts: () => void }) {
  const viewer = useViewer()
  const form = useRef<HTMLFormElement>(null)
  const more = pagesFor(viewer).filter(({ to }) => to === '/account' || to === '/admin' || to === '/docs')
  const label = viewer ? common.menuOf(viewer.displayName) : common.menu
  return (
    <>
      <form ref={form} method="post" action={href('/sign-out')} hidden />
      <Menu position="bottom-end" width={250} shadow="md">
        <Menu.Target>
          <MenuButton />
        </Menu.Target>
        <Menu.Dropdown aria-label={label}>
          {more.map(({ to, label: name, icon: Icon }) => (
            <Menu.Item
              key={to}
              leftSection={<Icon size={16} aria-hidden />}
              renderRoot={(props) => <Link to={to} {...props} />}
            >
              {name}
            </Menu.Item>
          ))}
          <Menu.Item leftSection={<Keyboard size={16} aria-hidden />} onClick={onShortcuts}>
            {common.shortcuts}
          </Menu.Item>
          <Menu.Divider />
          <Preferences />
          {viewer && (
            <>
              <Menu.Divider />
              <Menu.Item onClick={() => form.current?.submit()}>{common.signOut}</Menu.Item>
            </>
          )}
        </Menu.Dropdown>
      </Menu>
    </>
  )
}
