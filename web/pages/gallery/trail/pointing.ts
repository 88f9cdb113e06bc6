// The hovered item on a trail's page, a photo or a position along the line, shared by profile, map and photos.
import { useState, useSyncExternalStore } from 'react'

export interface Pointed {
  readonly imageId: number | undefined
  /** Position along the line; undefined for a photo that is not near it. */
  readonly miles: number | undefined
}

export const nothingPointed: Pointed = { imageId: undefined, miles: undefined }

/**
 * Outside React state: a pointer moves sixty times a second, and only the components that show it are rendered again.
 */
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

/** Selects a part: the component is rendered again when that part changes. */
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
