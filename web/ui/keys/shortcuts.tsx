// The registry of keyboard shortcuts as components add to it and read it.
import {
  createContext,
  useContext,
  useLayoutEffect,
  useMemo,
  useRef,
  useSyncExternalStore,
  type ReactNode,
} from 'react'
import { doEarlyKey } from './early-key.ts'
import {
  createShortcuts,
  nameOf,
  type Shortcut,
  type ShortcutGroup,
  type Shortcuts,
} from './shortcut-registry.ts'

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
  // With Ctrl or Cmd it says nothing to a field: there it is a shortcut's, if one is allowed in text.
  const isField = target.matches('input') && !event.ctrlKey && !event.metaKey
  return (
    isField ||
    target.closest('a[href], button, summary, [role=button], [role=option], [role=menuitem]') !== null
  )
}

function shortcutOf(registry: Shortcuts, event: KeyboardEvent): Shortcut | undefined {
  if (event.defaultPrevented || event.isComposing) return undefined
  const name = nameOf(event)
  if (name === '' || meansSomethingItself(event)) return undefined
  return registry.take(name, { at: event.timeStamp, isTyping: isTyping(event.target) })
}

function handle(registry: Shortcuts, event: KeyboardEvent): void {
  const shortcut = shortcutOf(registry, event)
  if (!shortcut) return
  event.preventDefault()
  shortcut.run(event)
}

const Context = createContext<Shortcuts | undefined>(undefined)

function useRegistry(): Shortcuts {
  const registry = useContext(Context)
  if (!registry) throw new Error('no ShortcutsProvider above')
  return registry
}

export function ShortcutsProvider({ children }: { readonly children: ReactNode }) {
  const registry = useMemo(() => createShortcuts(), [])
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent): void => handle(registry, event)
    window.addEventListener('keydown', onKey)
    const end = doEarlyKey(registry, (event) => shortcutOf(registry, event))
    return () => {
      end()
      window.removeEventListener('keydown', onKey)
    }
  }, [registry])
  return <Context value={registry}>{children}</Context>
}

/** Every shortcut that works on the page as it stands. */
export function useShortcutGroups(): readonly ShortcutGroup[] {
  const registry = useRegistry()
  return useSyncExternalStore(registry.subscribe, registry.groups, registry.groups)
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

/**
 * For a dialog: while it is there, no key reaches the page below it. What is in the dialog adds its keys later, since it is
 * drawn only once the dialog has its place in the document.
 */
export function useShortcutFloor(): void {
  const registry = useRegistry()
  useLayoutEffect(() => registry.add({ title: '', shortcuts: [], isFloor: true }), [registry])
}
