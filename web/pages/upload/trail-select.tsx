// Selects the trail of photos, in the form that the queue stores.
import { uploadStrings } from '../../strings/upload.ts'
import { TrailCombobox } from '../../ui/fields/trail-combobox.tsx'
import type { ChosenTrail } from '../../upload/photo.ts'

interface TrailSelectProps {
  readonly trail: ChosenTrail | undefined
  readonly onChange: (trail: ChosenTrail | undefined) => void
  readonly onTyping?: (isTyping: boolean) => void
  readonly description?: string
  readonly error?: string | undefined
}

export function TrailSelect({ trail, onChange, ...rest }: TrailSelectProps) {
  return (
    <TrailCombobox
      label={uploadStrings.trail}
      placeholder={uploadStrings.trailPlaceholder}
      trail={trail && { trailID: trail.trailId, name: trail.name, slug: trail.slug }}
      onChange={(chosen) =>
        onChange(chosen && { trailId: chosen.trailID, name: chosen.name, slug: chosen.slug })
      }
      {...rest}
    />
  )
}
