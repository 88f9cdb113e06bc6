// Chooses a trail by its name. What the field shows and what is chosen are the same, but while somebody types: then the
// keys act on nothing but what the list shows for that very text, and what is not chosen from it is put back.
import { Combobox, InputBase, VisuallyHidden, useCombobox } from '@mantine/core'
import { useEffect, useId, useState, type ChangeEvent, type KeyboardEvent, type ReactNode } from 'react'
import { maxTypedTrail, useTrailsFound, type TrailRef } from '../../data/trails-found.ts'
import { common } from '../../strings/common.ts'
import { tellProblem } from '../notices/problem-notice.tsx'
import { trailName } from './trail-name.ts'

const { trailSearch: strings } = common
const maxShown = 20

interface TrailComboboxProps {
  readonly trail: TrailRef | undefined
  /** Undefined where the text was cleared. */
  readonly onChange: (trail: TrailRef | undefined) => void
  /** The field shows a text that is not the chosen trail. */
  readonly onTyping?: ((isTyping: boolean) => void) | undefined
  readonly label?: string | undefined
  readonly ariaLabel?: string | undefined
  readonly description?: string | undefined
  readonly placeholder: string
  readonly error?: string | undefined
  readonly className?: string | undefined
  /** Only these may be chosen; null for any. */
  readonly among?: readonly number[] | null
}

export function TrailCombobox(props: TrailComboboxProps) {
  const { trail, onChange, onTyping, label, ariaLabel, description, placeholder, error, className } = props
  const [typed, setTyped] = useState<string>()
  const [isOpen, setOpen] = useState(false)
  const [activeId, setActiveId] = useState<number>()
  const listId = useId()
  const store = useCombobox({ opened: isOpen, onOpenedChange: setOpen })
  const found = useTrailsFound(typed ?? '', {
    max: maxShown,
    isEmptyAll: true,
    isOff: !isOpen,
    among: props.among ?? null,
  })
  const { trails } = found
  const shown = trail ? trailName(trail) : ''
  const at = trails?.findIndex(({ trailID }) => trailID === activeId) ?? -1
  const optionId = (trailId: number): string => `${listId}-${trailId}`
  const activeOption = at >= 0 && activeId !== undefined ? optionId(activeId) : undefined
  useEffect(() => {
    if (activeOption !== undefined)
      document.getElementById(activeOption)?.scrollIntoView({ block: 'nearest' })
  }, [activeOption])

  const type = (text: string | undefined): void => {
    setTyped(text)
    setActiveId(undefined)
    onTyping?.(text !== undefined && text !== shown)
  }
  const close = (): void => {
    type(undefined)
    setOpen(false)
  }
  const choose = (chosen: TrailRef | undefined): void => {
    close()
    if (chosen?.trailID !== trail?.trailID) onChange(chosen)
  }
  const submit = (value: string): void => {
    const chosen = trails?.find(({ trailID }) => String(trailID) === value)
    if (chosen) choose(chosen)
  }
  const isCleared = typed !== undefined && typed.trim() === ''

  function onKeyDown(event: KeyboardEvent): void {
    // The keys that choose among an input method's own suggestions are not ours.
    if (event.nativeEvent.isComposing || event.keyCode === 229) return
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      if (!isOpen) return setOpen(true)
      if (!trails || trails.length === 0) return undefined
      const from = at === -1 && typed === undefined ? trails.findIndex(isChosen) : at
      const next = from === -1 ? (step === 1 ? 0 : trails.length - 1) : from + step
      return setActiveId(trails[(next + trails.length) % trails.length]?.trailID)
    }
    if (event.key === 'Escape' && (isOpen || typed !== undefined)) {
      // A dialog around it stays open.
      event.preventDefault()
      event.stopPropagation()
      return close()
    }
    const isPlain = !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey
    if (event.key !== 'Enter' || !isPlain || (!isOpen && typed === undefined)) return undefined
    // Never the form around it: it would be sent with another trail than the text that is being typed.
    event.preventDefault()
    const active = trails?.[at]
    if (active) return choose(active)
    return isCleared ? choose(undefined) : undefined
  }
  const isChosen = ({ trailID }: TrailRef): boolean => trailID === trail?.trailID

  let notice: string | undefined
  if (found.error) notice = tellProblem(found.error).title
  else if (found.isOffline) notice = strings.offline
  else if (trails === undefined) notice = strings.searching
  else if (trails.length === 0) notice = strings.none
  const named: { label?: ReactNode; 'aria-label'?: string } = {
    ...(label !== undefined && { label }),
    ...(ariaLabel !== undefined && { 'aria-label': ariaLabel }),
  }
  return (
    // Beside its field, so that a screen reader finds the list in the same landmark.
    <Combobox store={store} onOptionSubmit={submit} withinPortal={false}>
      <Combobox.Target withKeyboardNavigation={false} withAriaAttributes={false}>
        <InputBase
          {...named}
          className={className ?? ''}
          description={description}
          placeholder={placeholder}
          error={error}
          role="combobox"
          autoComplete="off"
          spellCheck={false}
          maxLength={maxTypedTrail}
          aria-autocomplete="list"
          aria-expanded={isOpen}
          aria-controls={isOpen ? listId : undefined}
          aria-activedescendant={activeOption}
          // Mantine's dialogs leave Escape to whatever bears this.
          data-mantine-stop-propagation={isOpen || typed !== undefined || undefined}
          rightSection={<Combobox.Chevron />}
          rightSectionPointerEvents="none"
          value={typed ?? shown}
          onChange={(event: ChangeEvent<HTMLInputElement>) => {
            type(event.currentTarget.value)
            setOpen(true)
          }}
          onKeyDown={onKeyDown}
          onClick={() => setOpen(true)}
          onBlur={() => (isCleared ? choose(undefined) : close())}
        />
      </Combobox.Target>
      <Combobox.Dropdown>
        <Combobox.Options
          id={listId}
          aria-label={label ?? ariaLabel}
          mah="15rem"
          style={{ overflowY: 'auto' }}
        >
          {isOpen &&
            trails?.map((one) => (
              <Combobox.Option
                key={one.trailID}
                id={optionId(one.trailID)}
                value={String(one.trailID)}
                active={isChosen(one)}
                selected={one.trailID === activeId}
                aria-selected={isChosen(one)}
              >
                {trailName(one)}
              </Combobox.Option>
            ))}
        </Combobox.Options>
        {notice !== undefined && <Combobox.Empty>{notice}</Combobox.Empty>}
      </Combobox.Dropdown>
      <VisuallyHidden role="status">
        {isOpen && (notice ?? strings.count(trails?.length ?? 0))}
      </VisuallyHidden>
    </Combobox>
  )
}
