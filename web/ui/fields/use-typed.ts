// A field whose value lives in the address, such as a search: it shows each letter at once, and tells a pause after the last.
import { useDebouncedCallback } from '@mantine/hooks'
import { useState } from 'react'
import { follow, typedFrom } from './typed.ts'

const pauseMs = 250

/** @param tell puts it into the address, trimmed. @returns what the field shows, and what takes what is typed. */
export function useTyped(
  value: string,
  tell: (text: string) => void,
): readonly [text: string, type: (text: string) => void] {
  const [typed, setTyped] = useState(() => typedFrom(value))
  const followed = follow(typed, value)
  if (followed !== typed) setTyped(followed)
  const tellSoon = useDebouncedCallback((text: string) => {
    setTyped((before) => ({ ...before, reported: text }))
    tell(text)
  }, pauseMs)
  const type = (text: string): void => {
    setTyped((before) => ({ ...before, text }))
    tellSoon(text.trim())
  }
  return [followed.text, type]
}
