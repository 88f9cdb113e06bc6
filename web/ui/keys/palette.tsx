// The palette under Ctrl or Cmd + K: pages, trails by name, and whatever the page's own shortcuts can do.
import { Modal, TextInput, VisuallyHidden } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useId, useState, type KeyboardEvent } from 'react'
import { useViewer } from '../../data/site.ts'
import { maxTypedTrail, useTrailsFound } from '../../data/trails-found.ts'
import { common } from '../../strings/common.ts'
import { pagesFor } from '../frame/pages.ts'
import { useFocusBack } from '../focus-back.ts'
import { keyNames } from './shortcut-registry.ts'
import { useShortcutFloor, useShortcutGroups } from './shortcuts.tsx'
import { trailName } from '../fields/trail-name.ts'
import styles from './palette.module.css'

interface Entry {
  readonly id: string
  readonly label: string
  readonly group: string
  readonly shortcutKeys?: string
  readonly run: () => void
}

const maxTrails = 8

function useEntries(text: string, onDone: () => void): readonly Entry[] {
  const navigate = useNavigate()
  const viewer = useViewer()
  const groups = useShortcutGroups()
  const { trails = [] } = useTrailsFound(text, { max: maxTrails, isEmptyAll: false })
  const leave = (run: () => void) => () => {
    onDone()
    run()
  }
  const pages = pagesFor(viewer).map(({ to, label }) => ({
    id: `page ${to}`,
    label,
    group: common.main,
    run: leave(() => void navigate({ to })),
  }))
  const actions = groups.toReversed().flatMap(({ title, shortcuts }) =>
    shortcuts
      .filter(({ keys }) => keys !== 'Mod+K')
      .map(({ keys, label, run }) => ({
        id: `keys ${title} ${keys}`,
        label,
        group: title,
        shortcutKeys: keys,
        run: leave(() => run(new globalThis.KeyboardEvent('keydown'))),
      })),
  )
  const found = trails.map(({ trailID, name, slug }) => ({
    id: `trail ${trailID}`,
    label: trailName({ name, slug }),
    group: common.pages.trails,
    run: leave(() => void navigate({ to: '/t/$slug', params: { slug } })),
  }))
  const strings = text.trim().toLowerCase().split(/\s+/)
  const named = [...pages, ...actions].filter(({ label }) =>
    strings.every((word) => label.toLowerCase().includes(word)),
  )
  return [...found, ...named]
}

interface PaletteProps {
  readonly onClose: () => void
}

export function Palette({ onClose }: PaletteProps) {
  useFocusBack()
  useShortcutFloor()
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState(0)
  const listId = useId()
  const entries = useEntries(text, onClose)
  const at = Math.min(chosen, entries.length - 1)

  function onKeyDown(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      setChosen((at + step + entries.length) % Math.max(1, entries.length))
    } else if (event.key === 'Enter') {
      event.preventDefault()
      entries[at]?.run()
    }
  }

  return (
    <Modal
      opened
      onClose={onClose}
      withCloseButton={false}
      padding={0}
      yOffset="12vh"
      centered={false}
      size="lg"
      attributes={{ content: { 'aria-label': common.palette } }}
    >
      <TextInput
        data-autofocus
        className={styles.input ?? ''}
        size="md"
        variant="unstyled"
        placeholder={common.palettePlaceholder}
        aria-label={common.palette}
        role="combobox"
        aria-expanded="true"
        aria-controls={listId}
        aria-activedescendant={entries[at] && `${listId}-${at}`}
        maxLength={maxTypedTrail}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value)
          setChosen(0)
        }}
        onKeyDown={onKeyDown}
      />
      <div id={listId} role="listbox" aria-label={common.palette} className={styles.list}>
        {entries.map(({ id, label, group, shortcutKeys, run }, index) => (
          <div
            key={id}
            id={`${listId}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            onMouseMove={() => setChosen(index)}
            onMouseDown={(event) => {
              event.preventDefault() // the field keeps the focus
              run()
            }}
            ref={(element) => {
              if (index === at) element?.scrollIntoView({ block: 'nearest' })
            }}
          >
            <span>{label}</span>
            <small>{group}</small>
            <span>
              {shortcutKeys !== undefined &&
                keyNames(shortcutKeys).map((name) => <kbd key={name}>{name}</kbd>)}
            </span>
          </div>
        ))}
      </div>
      {entries.length === 0 && <p className={styles.nothing}>{common.paletteNothing}</p>}
      <VisuallyHidden role="status">{entries.length}</VisuallyHidden>
    </Modal>
  )
}
