// The menu at the end of the bar, which is loaded once somebody goes for it: most visitors never open it.
import { useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { MenuButton } from './menu-button.tsx'

type AccountMenu = typeof import('./account-menu.tsx').AccountMenu

const load = async (): Promise<AccountMenu> => (await import('./account-menu.tsx')).AccountMenu

interface LazyMenuProps {
  readonly onShortcuts: () => void
}

export function LazyMenu({ onShortcuts }: LazyMenuProps) {
  const [Menu, setMenu] = useState<AccountMenu>()
  const [isOpen, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  if (Menu) return <Menu button={button} isOpen={isOpen} onChange={setOpen} onShortcuts={onShortcuts} />
  // Where it cannot be loaded nothing happens, and the next press tries again; a bar above says that there is no network.
  const prepare = (): void => void load().catch(() => undefined)
  async function open(): Promise<void> {
    const loaded = await load()
    flushSync(() => setMenu(() => loaded))
    // Another button took the place of the one that was pressed; closing gives the focus back to whichever has it now.
    button.current?.focus()
    setOpen(true)
  }
  return (
    <MenuButton
      aria-haspopup="menu"
      aria-expanded={false}
      onPointerEnter={prepare}
      onFocus={prepare}
      onClick={() => void open().catch(() => undefined)}
    />
  )
}
