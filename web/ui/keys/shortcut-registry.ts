// The registry of keyboard shortcuts: it handles exactly what it lists, so the sheet under `?` is always right.

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

/** The part of an event that identifies its key. */
type Pressed = Readonly<Record<'ctrlKey' | 'altKey' | 'metaKey' | 'shiftKey', boolean>> & {
  readonly key: string
  readonly getModifierState: (name: string) => boolean
}

/** As `keys` of a shortcut has it; empty for a combination that is the browser's. */
export function nameOf(event: Pressed): string {
  // On many keyboards it produces characters such as [, and on Windows it is reported as Ctrl and Alt.
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

  /**
   * @param at milliseconds: the second key of a sequence must follow soon.
   * @returns the action of the key; undefined if it has none.
   */
  function take(name: string, { at, isTyping }: { at: number; isTyping: boolean }): Shortcut | undefined {
    const isSecond = pending !== undefined && at - pending.at < sequenceMs
    const shortcut = (isSecond && pending ? find(`${pending.first} ${name}`) : undefined) ?? find(name)
    if (isTyping && shortcut?.isAllowedInText !== true) return undefined
    pending = shortcut === undefined && isBegin(name) ? { first: name, at } : undefined
    return shortcut
  }

  return {
    add: (group: ShortcutGroup): (() => void) => {
      change([...groups, group])
      return () => change(groups.filter((other) => other !== group))
    },
    take,
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
