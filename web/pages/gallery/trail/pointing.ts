// What is pointed at on a trail's page, a photo or a place along the line: profile, map and photos follow it together.
import { useState, useSyncExternalStore } from 'react'

export interface Pointed {
  readonly imageId: number | undefined
  /** Along the line; undefined for a photo that is not near it. */
  readonly miles: number | undefined
}

export const nothingPointed: Pointed = { imageId: undefined, miles: undefined }

/** Outside of React's state: a pointer moves sixty times a second, and only what shows it is to be drawn anew. */
export function createPointing() {
  let present = nothingPointed
  const listeners = new Set<() => void>()
  return {
    read: (): Pointed => present,
    point: (next: Pointed): void => {
      if (next.imageId === present.imageId && next.miles === present.miles) return
      present = next
      for (const listener of listeners) listener()
    },
    subscribe: (listener: () => void): (() => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

export type Pointing = ReturnType<typeof createPointing>

export const usePointing = (): Pointing => useState(createPointing)[0]

/** A part of it: the component is drawn anew when that part is another. */
export function usePointed<Part extends string | number | Pointed | undefined>(
  pointing: Pointing,
  select: (pointed: Pointed) => Part,
): Part {
  return useSyncExternalStore(
    pointing.subscribe,
    () => select(pointing.read()),
    () => select(nothingPointed),
  )
}
