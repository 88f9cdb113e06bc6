// The one registry of keyboard shortcuts: what it lists it handles, so the sheet under `?` cannot promise more.

export interface Shortcut {
  /** `a`, `?`, `Shift+A`, `Mod+K` (Ctrl, or Cmd on a Mac), `Escape`, or two keys one after the other: `g t`. */
  readonly keys: string
  readonly label: string
  readonly run: (event: KeyboardEvent) => void
  /** Also while a text is typed; for Mod combinations. */
  readonly isAllowedInText?: boolean
}

export interface ShortcutGroup {
  readonly title: string
  readonly shortcuts: readonly Shortcut[]
  /** While it is there, keys of the groups before it do nothing. */
  readonly isFloor?: boolean
}

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent)
const sequenceMs = 1_000

function nameOf(event: KeyboardEvent): string {
  // On many keyboards it makes signs such as [, and on Windows it comes as Ctrl and Alt.
  const isAltGraph = event.key.length === 1 && event.getModifierState('AltGraph')
  const isMod = !isAltGraph && (isMac ? event.metaKey : event.ctrlKey)
  const isLetter = /^[a-z]$/i.test(event.key)
  const key = event.key === ' ' ? 'Space' : isLetter ? event.key.toUpperCase() : event.key
  if (isMod && event.shiftKey) return `Mod+Shift+${key}`
  if (isMod) return `Mod+${key}`
  if (!isAltGraph && (event.altKey || event.metaKey || event.ctrlKey)) return ''
  if (isLetter) return event.shiftKey ? `Shift+${key}` : event.key.toLowerCase()
  return event.shiftKey && event.key.length > 1 ? `Shift+${key}` : key
}

/** Where a key means a letter, or the thing itself has a meaning for it. */
function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  return (
    target.isContentEditable ||
    target.matches('input:not([type=checkbox], [type=radio], [type=button]), textarea, select')
  )
}

function meansSomethingItself(event: KeyboardEvent): boolean {
  const { target, key } = event
  if (!(target instanceof HTMLElement) || (key !== 'Enter' && key !== ' ')) return false
  return (
    target.closest('a[href], button, summary, [role=button], [role=option], [role=menuitem], input') !== null
  )
}

export function createShortcuts() {
  let groups: readonly ShortcutGroup[] = []
  let listed = groups
  let pending: { readonly first: string; readonly at: number } | undefined
  const listeners = new Set<() => void>()

  function change(next: readonly ShortcutGroup[]): void {
    groups = next
    listed = next.filter(({ shortcuts }) => shortcuts.length > 0)
    for (const listener of listeners) listener()
  }

  const reached = (): readonly ShortcutGroup[] =>
    groups.slice(groups.findLastIndex(({ isFloor }) => isFloor === true) + 1)

  /** The latest group first: a dialog's keys before those of the page below it. */
  function find(name: string): Shortcut | undefined {
    for (const group of reached().toReversed()) {
      const found = group.shortcuts.find(({ keys }) => keys === name)
      if (found) return found
    }
    return undefined
  }

  function isBegin(name: string): boolean {
    return reached().some(({ shortcuts }) => shortcuts.some(({ keys }) => keys.startsWith(`${name} `)))
  }

  function handle(event: KeyboardEvent): void {
    if (event.defaultPrevented || event.isComposing) return
    const name = nameOf(event)
    if (name === '' || meansSomethingItself(event)) return
    const isSecond = pending !== undefined && event.timeStamp - pending.at < sequenceMs
    const shortcut = (isSecond && pending ? find(`${pending.first} ${name}`) : undefined) ?? find(name)
    if (isTyping(event.target) && shortcut?.isAllowedInText !== true) return
    pending = shortcut === undefined && isBegin(name) ? { first: name, at: event.timeStamp } : undefined
    if (!shortcut) return
    event.preventDefault()
    shortcut.run(event)
  }

  return {
    add: (group: ShortcutGroup): (() => void) => {
      change([...groups, group])
      return () => change(groups.filter((other) => other !== group))
    },
    handle,
    listen: (): (() => void) => {
      window.addEventListener('keydown', handle)
      return () => window.removeEventListener('keydown', handle)
    },
    subscribe: (listener: () => void): (() => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    groups: (): readonly ShortcutGroup[] => listed,
  }
}

export type Shortcuts = ReturnType<typeof createShortcuts>

const shown: Readonly<Record<string, string>> = {
  Mod: isMac ? '⌘' : 'Ctrl',
  Shift: '⇧',
  Escape: 'Esc',
  ArrowLeft: '←',
  ArrowRight: '→',
  ArrowUp: '↑',
  ArrowDown: '↓',
  Delete: 'Del',
}

/** `Mod+K` → `['Ctrl', 'K']`; `g t` → `['g', 't']`. */
export function keyNames(keys: string): string[] {
  return keys.split(keys.includes(' ') ? ' ' : /\+(?=.)/).map((key) => shown[key] ?? key)
}
