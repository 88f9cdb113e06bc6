// The correction of the camera's clock: a slider for minutes and seconds, whole hours beside it, and suggestions.
import { Button } from '@mantine/core'
import { useId } from 'react'
import { placingStrings } from '../../../strings/placing.ts'
import type { OffsetSuggestion } from '../../../../src/shared/placing/offsets.ts'
import { correctionText } from '../../../upload/clock-correction.ts'
import styles from './placing.module.css'

const { track: strings } = placingStrings

const secondsPerHour = 3_600
/** In both directions. */
const maxFineSeconds = 1_800

/** Separate, so that the slider does not jump to the next hour while dragging. */
export interface Correction {
  /** Seconds: whole hours, or the suggested offset. */
  readonly base: number
  readonly fine: number
}

export const noCorrection: Correction = { base: 0, fine: 0 }
export const secondsOf = ({ base, fine }: Correction): number => base + fine

interface ClockCorrectionProps {
  readonly value: Correction
  /** Offsets that would locate more photos. */
  readonly suggestions: readonly OffsetSuggestion[]
  readonly onChange: (correction: Correction) => void
}

const textOf = (seconds: number): string => (seconds === 0 ? strings.noCorrection : correctionText(seconds))

export function ClockCorrection({ value, suggestions, onChange }: ClockCorrectionProps) {
  const id = useId()
  const { base, fine } = value
  const seconds = secondsOf(value)
  const text = textOf(seconds)
  return (
    <div className={styles.clock}>
      {suggestions.length > 0 && (
        <div className={styles.suggestions}>
          <span>{strings.suggestionLead}</span>
          {suggestions.map(({ offsetSeconds, placed }) => (
            <Button
              key={offsetSeconds}
              size="compact-sm"
              variant="light"
              onClick={() => onChange({ base: offsetSeconds, fine: 0 })}
            >
              {strings.suggestion(textOf(offsetSeconds), placed)}
            </Button>
          ))}
        </div>
      )}
      <div className={styles.clockHead}>
        <label htmlFor={id}>{strings.clock}</label>
        <output htmlFor={id}>{text}</output>
        {seconds !== 0 && (
          <Button size="compact-xs" variant="subtle" onClick={() => onChange(noCorrection)}>
            {strings.reset}
          </Button>
        )}
      </div>
      <div className={styles.clockRow}>
        <Button
          size="compact-sm"
          variant="default"
          title={strings.hourBack}
          onClick={() => onChange({ base: base - secondsPerHour, fine })}
        >
          {strings.hourBackShort}
        </Button>
        <input
          id={id}
          type="range"
          className={styles.slider}
          min={-maxFineSeconds}
          max={maxFineSeconds}
          step={1}
          value={fine}
          aria-valuetext={text}
          onChange={({ currentTarget }) => onChange({ base, fine: Number(currentTarget.value) })}
        />
        <Button
          size="compact-sm"
          variant="default"
          title={strings.hourOn}
          onClick={() => onChange({ base: base + secondsPerHour, fine })}
        >
          {strings.hourOnShort}
        </Button>
      </div>
      <p className={styles.hint}>{strings.clockHint}</p>
    </div>
  )
}
