// The remedies for photos without a location, as buttons: in a row for one photo, above the list for all.
import { Button } from '@mantine/core'
import { FileSearch, LocateFixed, Milestone, Waypoints, type LucideIcon } from 'lucide-react'
import { placingStrings } from '../../../strings/placing.ts'
import styles from './placing.module.css'

export type Remedy = 'track' | 'line' | 'device' | 'chooser'

const { remedy: strings } = placingStrings

const icons: Readonly<Record<Remedy, LucideIcon>> = {
  track: Waypoints,
  line: Milestone,
  device: LocateFixed,
  chooser: FileSearch,
}

interface RemediesProps {
  /** For the one photo; omitted for all. */
  readonly name?: string | undefined
  readonly isAsking: boolean
  readonly canChoose: boolean
  readonly onRemedy: (remedy: Remedy) => void
}

export function Remedies({ name, isAsking, canChoose, onRemedy }: RemediesProps) {
  const isOfOne = name !== undefined
  const remedies: readonly Remedy[] = canChoose
    ? ['track', 'line', 'device', 'chooser']
    : ['track', 'line', 'device']
  return (
    <div className={styles.remedies} data-one={isOfOne}>
      {remedies.map((remedy) => {
        const Icon = icons[remedy]
        const label = strings[remedy]
        return (
          <Button
            key={remedy}
            size="compact-sm"
            fz={isOfOne ? 'xs' : 'sm'}
            variant="default"
            leftSection={<Icon size={isOfOne ? 14 : 16} aria-hidden />}
            aria-label={isOfOne ? strings.ofOne(label, name) : undefined}
            disabled={remedy === 'device' && isAsking}
            title={remedy === 'chooser' ? placingStrings.panel.chooserHint : undefined}
            onClick={() => onRemedy(remedy)}
          >
            {remedy === 'device' && isAsking && !isOfOne ? placingStrings.device.asking : label}
          </Button>
        )
      })}
    </div>
  )
}
