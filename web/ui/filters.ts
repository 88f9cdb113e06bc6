// Filters in the address: read from it, and written to it without a step in the history for each letter.
import { useDebouncedCallback } from '@mantine/hooks'
import { useNavigate, useRouter, useSearch } from '@tanstack/react-router'
import { useState } from 'react'

const typingMs = 250

export function useFilters() {
  const found: Readonly<Record<string, unknown>> = useSearch({ strict: false })
  const navigate = useNavigate()
  // From the latest address: the page may not show the last change yet.
  const changed = (change: Readonly<Record<string, string>>) => (before: Record<string, unknown>) => ({
    ...before,
    ...change,
  })
  return {
    /** Empty where it is not there. */
    filter: (name: string): string => {
      const value = found[name]
      return typeof value === 'string' ? value : ''
    },
    /** An empty value takes the filter away. */
    set: (change: Readonly<Record<string, string>>): void =>
      void navigate({ to: '.', search: changed(change), replace: true }),
    /** The same, as a place that the browser's back leads away from. */
    open: (change: Readonly<Record<string, string>>): void =>
      void navigate({ to: '.', search: changed(change) }),
  }
}

/** A text filter: what is typed shows at once, and counts a moment later. */
export function useTypedFilter(name: string) {
  const { filter, set } = useFilters()
  const present = filter(name)
  const [typed, setTyped] = useState(present)
  const [last, setLast] = useState(present)
  const [sent, setSent] = useState(present)
  if (last !== present) {
    setLast(present)
    // Changed from elsewhere, such as by the browser's back. What was written from here comes a moment later, and more may
    // have been typed by then.
    if (present !== sent) {
      setSent(present)
      setTyped(present)
    }
  }
  const router = useRouter()
  const write = useDebouncedCallback((value: string, typedAt: string) => {
    // Whoever has gone on to another part meanwhile does not take the filter along.
    if (router.latestLocation.pathname !== typedAt) return
    setSent(value)
    set({ [name]: value })
  }, typingMs)
  return {
    value: typed,
    onChange: (value: string) => {
      setTyped(value)
      write(value.trim(), router.latestLocation.pathname)
    },
  }
}
