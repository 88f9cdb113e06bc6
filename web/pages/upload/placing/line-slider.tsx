// A slider along a line, in small steps: the keyboard alternative to tapping the map.
import { useId } from 'react'
import { placingStrings } from '../../../strings/placing.ts'
import { useFormat } from '../../../ui/format.ts'
import styles from './placing.module.css'

const stepMiles = 0.005

interface LineSliderProps {
  readonly label: string
  readonly miles: number
  readonly lengthMiles: number
  readonly isFirst: boolean
  readonly onChange: (miles: number) => void
  readonly onFocus: () => void
}

export function LineSlider({ label, miles, lengthMiles, isFirst, onChange, onFocus }: LineSliderProps) {
  const id = useId()
  const { length } = useFormat()
  const steps = Math.max(1, Math.ceil(lengthMiles / stepMiles))
  const text = placingStrings.line.along(length(miles), length(lengthMiles))
  return (
    <div className={styles.along}>
      <div className={styles.clockHead}>
        <label htmlFor={id}>{label}</label>
        <output htmlFor={id}>{text}</output>
      </div>
      <input
        id={id}
        type="range"
        className={styles.slider}
        data-autofocus={isFirst ? true : undefined}
        min={0}
        max={steps}
        step={1}
        value={Math.round((miles / lengthMiles) * steps)}
        aria-valuetext={text}
        onFocus={onFocus}
        onChange={({ currentTarget }) => onChange((Number(currentTarget.value) / steps) * lengthMiles)}
      />
    </div>
  )
}
