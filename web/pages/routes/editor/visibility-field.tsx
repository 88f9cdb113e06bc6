// Who can see the route, each choice with an explanation.
import '@mantine/core/styles/Radio.css'
import { Radio, Stack } from '@mantine/core'
import type { Visibility } from '../../../route-editor/route-state.ts'
import { editorStrings as strings } from '../../../strings/route-editor.ts'

const choices: readonly Visibility[] = ['private', 'link', 'public']

interface VisibilityFieldProps {
  readonly value: Visibility
  readonly onChange: (value: Visibility) => void
}

export function VisibilityField({ value, onChange }: VisibilityFieldProps) {
  return (
    <Radio.Group
      label={strings.visibility}
      value={value}
      onChange={(chosen) => {
        const found = choices.find((choice) => choice === chosen)
        if (found) onChange(found)
      }}
    >
      <Stack gap="xs" mt="xs">
        {choices.map((choice) => {
          const [label, description] = strings.visibilities[choice]
          return <Radio key={choice} value={choice} label={label} description={description} />
        })}
      </Stack>
    </Radio.Group>
  )
}
