// Unsaved input of the account's forms: it survives changing the section, and leaving the page asks first.
import { createContext, useContext, useMemo, useSyncExternalStore, type ReactNode } from 'react'
import type { SectionName } from './section-names.ts'

export function createDrafts() {
  let kept: ReadonlyMap<string, unknown> = new Map()
  const listeners = new Set<() => void>()
  return {
    all: () => kept,
    /** undefined deletes it. */
    set: (name: string, value: unknown): void => {
      const next = new Map(kept)
      if (value === undefined) next.delete(name)
      else next.set(name, value)
      kept = next
      for (const listener of listeners) listener()
    },
    subscribe: (listener: () => void): (() => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

export type Drafts = ReturnType<typeof createDrafts>

const Context = createContext<Drafts | undefined>(undefined)

export function useDrafts(): Drafts {
  const drafts = useContext(Context)
  if (!drafts) throw new Error('no DraftsProvider above')
  return drafts
}

export function DraftsProvider({ children }: { readonly children: ReactNode }) {
  const drafts = useMemo(() => createDrafts(), [])
  return <Context value={drafts}>{children}</Context>
}

export interface Draft<Value> {
  readonly value: Value
  readonly isChanged: boolean
  readonly set: (value: Value) => void
  readonly drop: () => void
  /** Deletes the draft if it is what was saved: later input stays. */
  readonly dropSaved: (saved: Value) => void
}

const separator = ' '

const keyOf = (section: SectionName, name: string): string => section + separator + name

/**
 * The fields of one form, or other unsaved state of a section. Never a password.
 * @param stored the saved values; a draft equal to them does not count.
 */
export function useDraft<Value>(section: SectionName, name: string, stored: Value): Draft<Value> {
  const drafts = useDrafts()
  const kept = useSyncExternalStore(drafts.subscribe, drafts.all)
  const key = keyOf(section, name)
  const draft = kept.get(key) as Value | undefined
  return {
    value: draft ?? stored,
    isChanged: draft !== undefined,
    set: (value) => drafts.set(key, JSON.stringify(value) === JSON.stringify(stored) ? undefined : value),
    drop: () => drafts.set(key, undefined),
    dropSaved: (saved) => {
      if (JSON.stringify(drafts.all().get(key)) === JSON.stringify(saved)) drafts.set(key, undefined)
    },
  }
}

/** Whether there is an unsaved draft of that name. */
export const useHasDraft = (section: SectionName, name: string): boolean =>
  useDrafts().all().has(keyOf(section, name))

/** Deletes the draft of a removed item: nobody could save or discard it. */
export function useDropDraft(section: SectionName, name: string): () => void {
  const drafts = useDrafts()
  return () => drafts.set(keyOf(section, name), undefined)
}

/** The sections with unsaved drafts. */
export function useUnsaved(): ReadonlySet<string> {
  const drafts = useDrafts()
  const kept = useSyncExternalStore(drafts.subscribe, drafts.all)
  return useMemo(() => new Set([...kept.keys()].map((key) => key.split(separator)[0] ?? '')), [kept])
}
