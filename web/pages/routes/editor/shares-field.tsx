// What others see of the route besides its line, each choice with its privacy consequences.
import { Checkbox, Stack } from '@mantine/core'
import '@mantine/core/styles/Checkbox.css'
import { routeShares, type RouteShare } from '../../../../src/shared/v2/route-shares.ts'
import { editorStrings as strings } from '../../../strings/route-editor.ts'

interface SharesFieldProps {
  readonly value: readonly RouteShare[]
  readonly onChange: (value: readonly RouteShare[]) => void
}

export function SharesField({ value, onChange }: SharesFieldProps) {
  return (
    <Checkbox.Group
      label={strings.shares}
      description={strings.othersSee}
      value={[...value]}
      onChange={(chosen) => onChange(routeShares.filter((share) => chosen.includes(share)))}
    >
      <Stack gap="xs" mt="xs">
        {routeShares.map((share) => {
          const [label, description] = strings.sharesOf[share]
          return <Checkbox key={share} value={share} label={label} description={description} />
        })}
      </Stack>
    </Checkbox.Group>
  )
}
