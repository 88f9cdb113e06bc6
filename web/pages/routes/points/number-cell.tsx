// A field for one number of a table: committed with Enter or on blur, reset with Escape.
import { useId, useState, type KeyboardEvent } from 'react'
import styles from './table.module.css'

interface NumberCellProps {
  readonly label: string
  readonly value: number | undefined
  readonly range: readonly [min: number, max: number]
  /** Whether it may be empty, which is reported as null. */
  readonly isOptional: boolean
  /** The message for invalid input. */
  readonly wrong: string
  /** A name to find it by. */
  readonly cell: string
  readonly onChange: (value: number | null) => void
}

const textOf = (value: number | undefined): string => (value === undefined ? '' : String(value))

export function NumberCell({ label, value, range, isOptional, wrong, cell, onChange }: NumberCellProps) {
  const [text, setText] = useState<string>()
  const [isWrong, setWrong] = useState(false)
  const hint = useId()
  const [typedOver, setTypedOver] = useState(value)
  if (typedOver !== value) {
    // Changed elsewhere: what was typed referred to another number.
    setTypedOver(value)
    setText(undefined)
    setWrong(false)
  }

  const take = () => {
    if (text === undefined) return
    // In half of the world the decimal separator is a comma.
    const trimmed = text.trim().replace(',', '.')
    const [min, max] = range
    const number = Number(trimmed)
    const isEmpty = trimmed === ''
    if (isEmpty ? !isOptional : !(number >= min && number <= max)) {
      setWrong(true)
      return
    }
    setText(undefined)
    setWrong(false)
    if (isEmpty ? value !== undefined : number !== value) onChange(isEmpty ? null : number)
  }
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key === 'Enter') take()
    if (event.key !== 'Escape') return
    event.stopPropagation()
    setText(undefined)
    setWrong(false)
  }
  return (
    <>
      <input
        className={styles.field}
        inputMode="decimal"
        autoComplete="off"
        aria-label={label}
        aria-invalid={isWrong}
        aria-describedby={isWrong ? hint : undefined}
        data-cell={cell}
        value={text ?? textOf(value)}
        onChange={({ target }) => setText(target.value)}
        onBlur={take}
        onKeyDown={onKeyDown}
      />
      {isWrong && (
        <span id={hint} role="alert" className={styles.wrong}>
          {wrong}
        </span>
      )}
    </>
  )
}
