// What a person prefers on this browser: units and colours. Kept in localStorage; without it, for this page alone.
import { useSyncExternalStore } from 'react'
import { byLocale } from '../strings/language.ts'

export interface Preferences {
  readonly units: 'miles' | 'kilometres'
}

const key = 'waymark.preferences'

/** Regions that measure their trails in miles. */
const milesRegions = new Set(['US', 'GB', 'LR', 'MM'])

function usualIn(locale: string): Preferences {
  const region = new Intl.Locale(locale).maximize().region ?? ''
  return { units: milesRegions.has(region) ? 'miles' : 'kilometres' }
}

const usual = (): Preferences => usualIn(navigator.language)

/** As far as the server knows; whoever prefers something else sees that as soon as the page is alive. */
const onServer = byLocale(usualIn)

function read(): Preferences {
  try {
    const kept = JSON.parse(localStorage.getItem(key) ?? '{}') as Partial<Preferences>
    return { ...usual(), ...kept }
  } catch {
    return usual()
  }
}

let present: Preferences | undefined
const listeners = new Set<() => void>()

export function preferences(): Preferences {
  present ??= read()
  return present
}

export function prefer(change: Partial<Preferences>): void {
  present = { ...preferences(), ...change }
  try {
    localStorage.setItem(key, JSON.stringify(present))
  } catch {
    // Private windows of some browsers keep nothing: it holds until the page is left.
  }
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const usePreferences = (): Preferences => useSyncExternalStore(subscribe, preferences, onServer)
