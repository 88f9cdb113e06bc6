// Short messages at the foot of the page, with Undo for eight seconds; read aloud, and they wait while looked at.
import { Button, CloseButton, Group, Text } from '@mantine/core'
import { createContext, useContext, useEffect, useMemo, useRef, useState, type ReactNode } from 'react'
import { common } from '../../strings/common.ts'
import { hovering } from '../hovering.ts'
import styles from './toasts.module.css'

const shownMs = 8_000

export interface Toast {
  readonly message: string
  /** A toast takes the place of the one before it that has the same key. */
  readonly key?: string
  readonly tone?: 'good' | 'bad'
  /** Shown as a button; the toast goes once it is pressed. */
  readonly undo?: () => void
  readonly undoLabel?: string
}

type Show = (toast: Toast) => void

const Context = createContext<Show>(() => undefined)

export const useToast = (): Show => useContext(Context)

interface Shown extends Toast {
  readonly id: number
}

function ToastCard({ toast, onGone }: { readonly toast: Shown; readonly onGone: () => void }) {
  const [isPointedAt, setPointedAt] = useState(false)
  const [isFocused, setFocused] = useState(false)
  const isHeld = isPointedAt || isFocused
  const gone = useRef(onGone)
  useEffect(() => {
    gone.current = onGone
  })
  useEffect(() => {
    if (isHeld) return undefined
    const timer = setTimeout(() => gone.current(), shownMs)
    return () => clearTimeout(timer)
  }, [isHeld])
  return (
    <div
      className={styles.toast}
      data-tone={toast.tone}
      {...hovering(setPointedAt)}
      onFocus={() => setFocused(true)}
      onBlur={() => setFocused(false)}
    >
      <Text size="sm" flex={1}>
        {toast.message}
      </Text>
      {toast.undo && (
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => {
            toast.undo?.()
            onGone()
          }}
        >
          {toast.undoLabel ?? common.undo}
        </Button>
      )}
      <CloseButton size="sm" aria-label={common.close} onClick={onGone} />
    </div>
  )
}

export function ToastsProvider({ children }: { readonly children: ReactNode }) {
  const [toasts, setToasts] = useState<readonly Shown[]>([])
  const nextId = useRef(1)
  const show = useMemo<Show>(
    () => (toast) => {
      const id = nextId.current
      nextId.current += 1
      const isOther = (before: Shown): boolean => toast.key === undefined || before.key !== toast.key
      setToasts((before) => [...before.filter(isOther).slice(-2), { ...toast, id }])
    },
    [],
  )
  return (
    <Context value={show}>
      {children}
      <Group className={styles.place ?? ''} role="status" aria-live="polite">
        {toasts.map((toast) => (
          <ToastCard
            key={toast.id}
            toast={toast}
            onGone={() => setToasts((before) => before.filter(({ id }) => id !== toast.id))}
          />
        ))}
      </Group>
    </Context>
  )
}
