// The one registry of keyboard shortcuts: what it lists it handles, so the sheet under `?` cannot promise more.
import {
  createContext,
  useContext,
  useLayoutEffect,
  useMemo,
  useRef,
  useSyncExternalStore,
  type ReactNode,
} from 'react'

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
}

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent)
const sequenceMs = 1_000

function nameOf(event: KeyboardEvent): string {
  const isMod = isMac ? event.metaKey : event.ctrlKey
  const isLetter = /^[a-z]$/i.test(event.key)
  const key = event.key === ' ' ? 'Space' : isLetter ? event.key.toUpperCase() : event.key
  if (isMod && event.shiftKey) return `Mod+Shift+${key}`
  if (isMod) return `Mod+${key}`
  if (event.altKey || event.metaKey || event.ctrlKey) return ''
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
  let pending: { readonly first: string; readonly at: number } | undefined
  const listeners = new Set<() => void>()

  function change(next: readonly ShortcutGroup[]): void {
    groups = next
    for (const listener of listeners) listener()
  }

  /** The latest group first: a dialog's keys before those of the page below it. */
  function find(name: string): Shortcut | undefined {
    for (const group of groups.toReversed()) {
      const found = group.shortcuts.find(({ keys }) => keys === name)
      if (found) return found
    }
    return undefined
  }

  function isBegin(name: string): boolean {
    return groups.some(({ shortcuts }) => shortcuts.some(({ keys }) => keys.startsWith(`${name} `)))
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
    listen: (): (() => void) => {
      window.addEventListener('keydown', handle)
      return () => window.removeEventListener('keydown', handle)
    },
    subscribe: (listener: () => void): (() => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    groups: (): readonly ShortcutGroup[] => groups,
  }
}

export type Shortcuts = ReturnType<typeof createShortcuts>

const Context = createContext<Shortcuts | undefined>(undefined)

function useRegistry(): Shortcuts {
  const registry = useContext(Context)
  if (!registry) throw new Error('no ShortcutsProvider above')
  return registry
}

export function ShortcutsProvider({ children }: { readonly children: ReactNode }) {
  const registry = useMemo(() => createShortcuts(), [])
  useLayoutEffect(() => registry.listen(), [registry])
  return <Context value={registry}>{children}</Context>
}

/** Every shortcut that works on the page as it stands. */
export function useShortcutGroups(): readonly ShortcutGroup[] {
  const registry = useRegistry()
  return useSyncExternalStore(registry.subscribe, registry.groups)
}

/**
 * Adds shortcuts while the component is there. `run` may change from render to render; the list itself is read anew
 * where its keys or labels change.
 */
export function useShortcuts(title: string, shortcuts: readonly Shortcut[]): void {
  const registry = useRegistry()
  const latest = useRef(shortcuts)
  // Before the page is painted: whatever is seen answers to its keys.
  useLayoutEffect(() => {
    latest.current = shortcuts
  })
  const signature = JSON.stringify(
    shortcuts.map(({ keys, label, isAllowedInText }) => [keys, label, isAllowedInText]),
  )
  useLayoutEffect(() => {
    const listed = JSON.parse(signature) as [string, string, boolean | undefined][]
    if (listed.length === 0) return undefined
    return registry.add({
      title,
      shortcuts: listed.map(([keys, label, isAllowedInText = false]) => ({
        keys,
        label,
        isAllowedInText,
        run: (event) => latest.current.find((shortcut) => shortcut.keys === keys)?.run(event),
      })),
    })
  }, [registry, title, signature])
}

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
