// Which key does what: sequences, signs that need AltGr, and dialogs that keep keys from the page below them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createShortcuts } from '../../web/ui/shortcut-registry.ts'

// What the registry asks of a page: none of the targets here is one in which somebody types.
Object.assign(globalThis, { HTMLElement: EventTarget })

interface Pressed {
  readonly ctrlKey?: boolean
  readonly altKey?: boolean
  readonly isAltGraph?: boolean
}

function keyboard() {
  const registry = createShortcuts()
  const done: string[] = []
  let timeStamp = 0
  return {
    registry,
    done,
    group: (title: string, ...keys: readonly string[]) =>
      registry.add({
        title,
        shortcuts: keys.map((key) => ({ keys: key, label: key, run: () => done.push(`${title} ${key}`) })),
      }),
    press: (key: string, { isAltGraph = false, ...pressed }: Pressed = {}) =>
      registry.handle({
        key,
        target: null,
        timeStamp: (timeStamp += 1),
        defaultPrevented: false,
        isComposing: false,
        ctrlKey: false,
        altKey: false,
        metaKey: false,
        shiftKey: false,
        ...pressed,
        getModifierState: () => isAltGraph,
        preventDefault: () => undefined,
      } as KeyboardEvent),
  }
}

void test('below a dialog no key does anything, one of the dialog does, and the sheet still lists all', () => {
  const { registry, done, group, press } = keyboard()
  group('page', 'a', 'g t')
  const close = registry.add({ title: '', shortcuts: [], isFloor: true })
  const leave = group('dialog', 'y')
  for (const key of ['a', 'g', 't', 'y']) press(key)
  assert.deepEqual(done, ['dialog y'])
  assert.deepEqual(
    registry.groups().map(({ title }) => title),
    ['page', 'dialog'],
  )
  leave()
  close()
  for (const key of ['a', 'g', 't']) press(key)
  assert.deepEqual(done, ['dialog y', 'page a', 'page g t'])
})

void test('a sign that a keyboard makes with AltGr is that sign, though Windows tells Ctrl and Alt', () => {
  const { done, group, press } = keyboard()
  group('page', '[', 'Mod+K')
  press('[', { ctrlKey: true, altKey: true, isAltGraph: true })
  press('[', { altKey: true })
  press('k', { ctrlKey: true })
  assert.deepEqual(done, ['page [', 'page Mod+K'])
})
