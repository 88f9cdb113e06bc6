// Confirms the user's identity if the server requires it: by password, or by a new sign-in for users without one.
import { Button, Group, PasswordInput, Text } from '@mantine/core'
import '@mantine/core/styles/PasswordInput.css'
import { createContext, useCallback, useContext, useState, type FormEvent, type ReactNode } from 'react'
import { isWaymarkProblem } from '../../../client/client.ts'
import { account } from '../../strings/account.ts'
import { common } from '../../strings/common.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { useMe } from './account-data.ts'
import { useFreshSignIn } from './fresh-sign-in.ts'

type Act<Result> = (password: string | undefined) => Promise<Result>

export interface ConfirmOptions {
  /** If the server accepts only the password, however recent the sign-in. */
  readonly isAskedFirst?: boolean
}

type Confirm = <Result>(act: Act<Result>, options?: ConfirmOptions) => Promise<Result>

interface Asked {
  /** Runs the action. @returns false if the password was wrong. */
  readonly attempt: (password: string | undefined) => Promise<boolean>
  readonly giveUp: () => void
}

const strings = account.confirm
const notConfirmed = 'NotConfirmed'

/** The user closed the dialog: nothing was done, and there is nothing to report. */
export const isNotConfirmed = (error: unknown): boolean =>
  error instanceof Error && error.name === notConfirmed

const isPresenceAsked = (error: unknown): boolean =>
  isWaymarkProblem(error) && (error.code === 'stale-session' || error.code === 'wrong-password')

const Context = createContext<Confirm | undefined>(undefined)

/**
 * @returns a function that runs an action that may need a password. It is tried without; if the server requires
 * confirmation, the dialog asks, and the action is repeated. Rejects with `isNotConfirmed` if the dialog was closed.
 */
export function useConfirmPerson(): Confirm {
  const confirm = useContext(Context)
  if (!confirm) throw new Error('no ConfirmPerson above')
  return confirm
}

function PasswordForm({ asked }: { readonly asked: Asked }) {
  const [password, setPassword] = useState('')
  const [isWrong, setWrong] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const me = useMe().data
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    event.stopPropagation()
    setBusy(true)
    setWrong(!(await asked.attempt(password)))
    setBusy(false)
  }
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Text mb="md">{strings.detail}</Text>
      <input type="text" name="username" autoComplete="username" value={me?.email ?? ''} readOnly hidden />
      <PasswordInput
        label={strings.password}
        autoComplete="current-password"
        value={password}
        onChange={({ currentTarget }) => setPassword(currentTarget.value)}
        error={isWrong && strings.wrong}
        data-autofocus
        required
        maxLength={1_024}
      />
      <Group mt="lg">
        <Button type="submit" loading={isBusy}>
          {strings.confirm}
        </Button>
        <Button variant="default" onClick={asked.giveUp}>
          {common.cancel}
        </Button>
      </Group>
    </form>
  )
}

function SignInAgainForm({ asked }: { readonly asked: Asked }) {
  const { open, isOpen } = useFreshSignIn(() => void asked.attempt(undefined))
  return (
    <>
      <Text>{isOpen ? strings.waiting : strings.again}</Text>
      <Group mt="lg">
        <Button onClick={open} data-autofocus>
          {strings.open}
        </Button>
        <Button variant="default" onClick={asked.giveUp}>
          {common.cancel}
        </Button>
      </Group>
    </>
  )
}

export function ConfirmPerson({ children }: { readonly children: ReactNode }) {
  const [asked, setAsked] = useState<Asked>()
  const hasPassword = useMe().data?.hasPassword !== false

  const confirm = useCallback<Confirm>(async (act, { isAskedFirst = false } = {}) => {
    if (!isAskedFirst) {
      try {
        return await act(undefined)
      } catch (error) {
        if (!isPresenceAsked(error)) throw error
      }
    }
    return new Promise((resolve, reject) => {
      // If it was closed during an attempt, the end of that attempt must not close a later dialog.
      const end = () => setAsked((now) => (now === question ? undefined : now))
      const question: Asked = {
        attempt: async (password) => {
          try {
            resolve(await act(password))
          } catch (error) {
            if (isPresenceAsked(error)) return false
            reject(error instanceof Error ? error : new Error('unknown', { cause: error }))
          }
          end()
          return true
        },
        giveUp: () => {
          reject(Object.assign(new Error('not confirmed'), { name: notConfirmed }))
          end()
        },
      }
      setAsked(question)
    })
  }, [])

  return (
    <Context value={confirm}>
      {children}
      {asked && (
        <Dialog onClose={asked.giveUp} title={strings.title}>
          {hasPassword ? <PasswordForm asked={asked} /> : <SignInAgainForm asked={asked} />}
        </Dialog>
      )}
    </Context>
  )
}
