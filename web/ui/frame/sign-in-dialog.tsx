// Asks for a new sign-in in place: in a window of its own, where passwords, passkeys and links work as ever.
import { Button, Group, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { href } from '../../data/base.ts'
import { keys } from '../../data/keys.ts'
import { useIsAsking } from '../../data/sign-in-again.ts'
import { useViewer } from '../../data/site.ts'
import { useSignInAgain, useWaymark } from '../../data/waymark.tsx'
import { common } from '../../strings/common.ts'
import { Dialog } from '../dialog.tsx'
import { useLookAgain } from '../look-again.ts'

const strings = common.signInAgain

export function SignInDialog() {
  const again = useSignInAgain()
  const waymark = useWaymark()
  const queries = useQueryClient()
  const isAsking = useIsAsking(again)
  const viewer = useViewer()
  const [other, setOther] = useState<Window | null>(null)
  useLookAgain(
    isAsking,
    async () => (await waymark.site()).viewer?.acctID,
    (acctId) => {
      other?.close()
      setOther(null)
      // Somebody else signed in: what waits here would be sent as theirs.
      const isSame = viewer === null || viewer.acctID === acctId
      again.answer(isSame)
      if (isSame) void queries.invalidateQueries({ queryKey: keys.site })
      else location.reload()
    },
  )
  return (
    <Dialog onClose={() => again.answer(false)} title={strings.title} staysOpen>
      <Text>{other === null ? strings.detail : strings.waiting}</Text>
      <Group mt="md">
        <Button
          onClick={() =>
            setOther(window.open(href('/sign-in?next=%2F'), 'waymark-sign-in', 'width=520,height=720'))
          }
        >
          {strings.open}
        </Button>
        <Button variant="default" onClick={() => again.answer(false)}>
          {strings.cancel}
        </Button>
      </Group>
    </Dialog>
  )
}
