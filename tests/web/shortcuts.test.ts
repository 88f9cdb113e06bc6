// Keyboard shortcuts: sequences, characters that need AltGr, and dialogs that block keys of the page below.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createShortcuts, nameOf } from '../../web/ui/keys/shortcut-registry.ts'

function keyboard() {
  const registry = createShortcuts()
  let at = 0
  return {
    registry,
    group: (title: string, ...keys: readonly string[]) =>
      registry.add({
        title,
        shortcuts: keys.map((key) => ({ keys: key, label: `${title} ${key}`, run: () => undefined })),
      }),
    press: (...names: readonly string[]) =>
      names.flatMap((name) => registry.take(name, { at: (at += 1), isTyping: false })?.label ?? []),
  }
}

void test('while a dialog is open only its own keys work, and the list of shortcuts still shows all', () => {
  const { registry, group, press } = keyboard()
  group('page', 'a', 'g t')
  const close = registry.add({ title: '', shortcuts: [], isFloor: true })
  const leave = group('dialog', 'y')
  assert.deepEqual(press('a', 'g', 't', 'y'), ['dialog y'])
  assert.deepEqual(
    registry.groups().map(({ title }) => title),
    ['page', 'dialog'],
  )
  leave()
  close()
  assert.deepEqual(press('a', 'g', 't'), ['page a', 'page g t'])
})

void test('a character typed with AltGr is that character, although Windows reports Ctrl and Alt', () => {
  const pressed = (key: string, ...held: readonly string[]): string =>
    nameOf({
      key,
      ctrlKey: held.includes('Control'),
      altKey: held.includes('Alt'),
      metaKey: false,
      shiftKey: held.includes('Shift'),
      getModifierState: (name) => held.includes(name),
    })
  assert.equal(pressed('[', 'Control', 'Alt', 'AltGraph'), '[')
  assert.equal(pressed('[', 'AltGraph'), '[')
  assert.equal(pressed('[', 'Alt'), '')
  assert.equal(pressed('ArrowLeft', 'Alt', 'AltGraph'), '')
  assert.equal(pressed('k', 'Control'), 'Mod+K')
  assert.equal(pressed('A', 'Shift'), 'Shift+A')
})
