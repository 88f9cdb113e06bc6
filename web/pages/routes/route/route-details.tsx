// The details of a route: name, description, visibility, and a manually entered length.
import '@mantine/core/styles/Radio.css'
import { Button, Stack, Switch, Text, Textarea, TextInput } from '@mantine/core'
import '@mantine/core/styles/Switch.css'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState, type KeyboardEvent } from 'react'
import { countCharacters } from '../../../../src/shared/text/characters.ts'
import { maxDescriptionLength, maxNameLength } from '../../../../src/shared/classic/route-kinds.ts'
import { useWaymark } from '../../../data/waymark.tsx'
import { editorStrings as strings } from '../../../strings/route-editor.ts'
import { formatCount } from '../../../ui/format.ts'
import { usePreferences } from '../../../ui/preferences.ts'
import { useEditor, useEditorView } from '../editor/use-editor.tsx'
import { SharesField } from '../editor/shares-field.tsx'
import { VisibilityField } from '../editor/visibility-field.tsx'
import { zonesKey } from './zones.ts'
import styles from '../editor/editor.module.css'

const kilometresOfMile = 1.609344
/** A counter is useful only near the limit. */
const countedFrom = 0.5

interface CountedProps {
  readonly text: string
  readonly max: number
}

function counted({ text, max }: CountedProps): { description?: string; error?: string } {
  const used = countCharacters(text)
  if (used > max) return { error: strings.tooLong(formatCount(max)), ...shown(used, max) }
  return used > max * countedFrom || max === maxNameLength ? shown(used, max) : {}
}

const shown = (used: number, max: number) => ({
  description: strings.counter(formatCount(used), formatCount(max)),
})

function LengthField() {
  const editor = useEditor()
  const { state } = useEditorView()
  const { units } = usePreferences()
  const [text, setText] = useState<string>()
  const perMile = units === 'miles' ? 1 : kilometresOfMile
  const { statedMiles } = state
  const isStated = statedMiles !== undefined
  const shownText = text ?? (isStated ? String(Number((statedMiles * perMile).toFixed(3))) : '')
  const take = (typed: string) => {
    setText(typed)
    const value = Number(typed.trim().replace(',', '.'))
    if (typed.trim() !== '' && value > 0) editor.setTexts({ statedMiles: value / perMile }, strings.length)
  }
  const isWrong = text !== undefined && !(Number(text.trim().replace(',', '.')) > 0)
  return (
    <Stack gap="xs">
      <Switch
        label={strings.lengthStated}
        description={isStated ? undefined : strings.lengthComputed}
        checked={isStated}
        onChange={({ currentTarget: { checked } }) => {
          setText(undefined)
          const measured = Number(editor.measures().lengthMiles.toFixed(2))
          editor.setTexts({ statedMiles: checked ? measured || 1 : undefined }, strings.length)
        }}
      />
      {isStated && (
        <TextInput
          label={strings.lengthField(units)}
          inputMode="decimal"
          value={shownText}
          error={isWrong ? strings.lengthWrong : undefined}
          onChange={({ currentTarget }) => take(currentTarget.value)}
          onBlur={() => {
            setText(undefined)
            editor.endGroup()
          }}
        />
      )}
    </Stack>
  )
}

function ZonesNote() {
  const waymark = useWaymark()
  const { data: zones = [] } = useQuery({ queryKey: zonesKey, queryFn: () => waymark.me.zones.list() })
  if (zones.length === 0) return null
  return (
    <Text size="sm" c="dimmed">
      {strings.zones(zones.length)}{' '}
      <Link to="/account/$section" params={{ section: 'zones' }}>
        {strings.zonesLink}
      </Link>
    </Text>
  )
}

/** Arrow keys move between radio buttons here, not between points of the line. */
const keepArrows = (event: KeyboardEvent): void => {
  if (event.key.startsWith('Arrow')) event.stopPropagation()
}

interface RouteDetailsProps {
  readonly onSave: () => void
  readonly isSaving: boolean
}

export function RouteDetails({ onSave, isSaving }: RouteDetailsProps) {
  const editor = useEditor()
  const { state } = useEditorView()
  const { name, description, visibility, shares } = state
  return (
    <Stack gap="md" className={styles.details ?? ''} onKeyDown={keepArrows}>
      <TextInput
        label={strings.name}
        value={name}
        autoComplete="off"
        {...counted({ text: name, max: maxNameLength })}
        onChange={({ currentTarget }) => editor.setTexts({ name: currentTarget.value }, strings.name)}
        onBlur={editor.endGroup}
      />
      <Textarea
        label={strings.description}
        value={description}
        autosize
        minRows={3}
        maxRows={10}
        {...counted({ text: description, max: maxDescriptionLength })}
        onChange={({ currentTarget }) =>
          editor.setTexts({ description: currentTarget.value }, strings.description)
        }
        onBlur={editor.endGroup}
      />
      <VisibilityField
        value={visibility}
        onChange={(value) => editor.setTexts({ visibility: value }, strings.visibility)}
      />
      {visibility !== 'private' && (
        <SharesField
          value={shares}
          onChange={(value) => editor.setTexts({ shares: value }, strings.shares)}
        />
      )}
      <ZonesNote />
      <LengthField />
      <Button onClick={onSave} loading={isSaving}>
        {strings.save}
      </Button>
    </Stack>
  )
}
