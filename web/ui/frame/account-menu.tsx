// The menu at the end of the bar: account, admin and docs, keys, colours, units, language, signing out.
import { Menu, useMantineColorScheme, type MantineColorScheme } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Keyboard } from 'lucide-react'
import type { RefObject } from 'react'
import { languageNames, languages } from '../../../src/shared/languages.ts'
import { useViewer } from '../../data/site.ts'
import { common } from '../../strings/common.ts'
import { pageLanguage } from '../../strings/language.ts'
import { useChooseLanguage } from './choose-language.ts'
import { MenuButton } from './menu-button.tsx'
import { pagesFor } from './pages.ts'
import { prefer, usePreferences } from '../preferences.ts'
import { useSignOut } from './sign-out.tsx'

const colourNames: readonly MantineColorScheme[] = ['light', 'dark', 'auto']

function Preferences() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const { units } = usePreferences()
  const chooseLanguage = useChooseLanguage()
  return (
    <>
      <Menu.Label>{common.colours}</Menu.Label>
      <Menu.RadioGroup value={colorScheme} onChange={(name) => setColorScheme(name as MantineColorScheme)}>
        {colourNames.map((name) => (
          <Menu.RadioItem key={name} value={name}>
            {common.colourNames[name]}
          </Menu.RadioItem>
        ))}
      </Menu.RadioGroup>
      <Menu.Label>{common.units}</Menu.Label>
      <Menu.RadioGroup
        value={units}
        onChange={(name) => prefer({ units: name === 'miles' ? 'miles' : 'kilometres' })}
      >
        {(['kilometres', 'miles'] as const).map((name) => (
          <Menu.RadioItem key={name} value={name}>
            {common.unitNames[name]}
          </Menu.RadioItem>
        ))}
      </Menu.RadioGroup>
      <Menu.Label>{common.language}</Menu.Label>
      <Menu.RadioGroup value={pageLanguage()} onChange={(name) => void chooseLanguage(name)}>
        {languages.map((name) => (
          <Menu.RadioItem key={name} value={name} lang={name}>
            {languageNames[name]}
          </Menu.RadioItem>
        ))}
      </Menu.RadioGroup>
    </>
  )
}

interface AccountMenuProps {
  readonly button: RefObject<HTMLButtonElement | null>
  readonly isOpen: boolean
  readonly onChange: (isOpen: boolean) => void
  readonly onShortcuts: () => void
}

export function AccountMenu({ button, isOpen, onChange, onShortcuts }: AccountMenuProps) {
  const viewer = useViewer()
  const { signOut, question } = useSignOut()
  const more = pagesFor(viewer).filter(({ to }) => to === '/account' || to === '/admin' || to === '/docs')
  const label = viewer ? common.menuOf(viewer.displayName) : common.menu
  return (
    <>
      {question}
      <Menu opened={isOpen} onChange={onChange} position="bottom-end" width={250} shadow="md">
        <Menu.Target>
          <MenuButton ref={button} />
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
              <Menu.Item onClick={() => void signOut()}>{common.signOut}</Menu.Item>
            </>
          )}
        </Menu.Dropdown>
      </Menu>
    </>
  )
}
