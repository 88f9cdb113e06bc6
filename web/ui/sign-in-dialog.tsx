// Asks for a new sign-in in place: in a window of its own, where passwords, passkeys and links work as ever.
import { Button, Group, Modal, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { href } from '../data/base.ts'
import { keys } from '../data/keys.ts'
import { useIsAsking } from '../data/sign-in-again.ts'
import { useSignInAgain, useWaymark } from '../data/waymark.tsx'
import { common } from '../strings/common.ts'

const askEveryMs = 1_500
const words = common.signInAgain

/** Whether the other window has signed somebody in; asked while the dialog stands, and at once when this window is looked at. */
function useSignedIn(isAsking: boolean, onSignedIn: () => void): void {
  const waymark = useWaymark()
  useEffect(() => {
    if (!isAsking) return undefined
    let isOver = false
    const look = async () => {
      const site = await waymark.site().catch(() => undefined)
      if (!isOver && site?.viewer) onSignedIn()
    }
    const timer = setInterval(() => void look(), askEveryMs)
    const onFocus = () => void look()
    window.addEventListener('focus', onFocus)
    return () => {
      isOver = true
      clearInterval(timer)
      window.removeEventListener('focus', onFocus)
    }
  }, [isAsking, onSignedIn, waymark])
}

export function SignInDialog() {
  const again = useSignInAgain()
  const queries = useQueryClient()
  const isAsking = useIsAsking(again)
  const [other, setOther] = useState<Window | null>(null)
  useSignedIn(isAsking, () => {
    other?.close()
    setOther(null)
    again.answer(true)
    void queries.invalidateQueries({ queryKey: keys.site })
  })
  return (
    <Modal
      opened={isAsking}
      onClose={() => again.answer(false)}
      title={words.title}
      closeButtonProps={{ 'aria-label': words.cancel }}
    >
      <Text>{other === null ? words.detail : words.waiting}</Text>
      <Group mt="md">
        <Button
          onClick={() =>
            setOther(window.open(href('/sign-in?next=%2F'), 'waymark-sign-in', 'width=520,height=720'))
          }
        >
          {words.open}
        </Button>
        <Button variant="default" onClick={() => again.answer(false)}>
          {words.cancel}
        </Button>
      </Group>
    </Modal>
  )
}
