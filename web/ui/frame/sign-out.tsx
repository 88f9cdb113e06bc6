// Signing out: first at the server, then this browser's data of the account is deleted. Unsent data is asked about
// first.
import { Button, Group, Text } from '@mantine/core'
import { useState } from 'react'
import { countUnsent, deleteBrowserData, type Unsent } from '../../data/browser-data.ts'
import { href } from '../../data/base.ts'
import { useViewer } from '../../data/site.ts'
import { useSignInAgain } from '../../data/waymark.tsx'
import { common } from '../../strings/common.ts'
import { Dialog } from '../dialog.tsx'
import { useToast } from '../notices/toasts.tsx'

const strings = common.signingOut

/** Shows the server's own page, which says that it is done. */
function showSignedOut(): void {
  const form = document.createElement('form')
  form.method = 'post'
  form.action = href('/sign-out?deleted=yes')
  document.body.append(form)
  form.submit()
}

export function useSignOut() {
  const viewer = useViewer()
  const again = useSignInAgain()
  const toast = useToast()
  const [unsent, setUnsent] = useState<Unsent>()
  const [isPending, setIsPending] = useState(false)

  async function leave(): Promise<void> {
    setIsPending(true)
    try {
      const answer = await fetch(href('/sign-out'), { method: 'POST', body: new URLSearchParams() })
      if (!answer.ok) throw new Error(`status ${answer.status}`)
      // From here on nobody is signed in, and nobody must be asked to.
      again.retire()
      if (viewer) await deleteBrowserData(viewer.acctID)
      showSignedOut()
    } catch {
      toast({ message: strings.failed, tone: 'bad' })
      setIsPending(false)
      setUnsent(undefined)
    }
  }

  return {
    signOut: async (): Promise<void> => {
      const found = viewer ? await countUnsent(viewer.acctID) : { photos: 0, routes: 0 }
      if (found.photos + found.routes === 0) await leave()
      else setUnsent(found)
    },
    /** Rendered by the component that offers it. */
    question: unsent && (
      <Dialog title={strings.title} onClose={() => setUnsent(undefined)} staysOpen>
        <Text mb="md">{strings.detail(unsent)}</Text>
        <Group mt="md">
          <Button color="red" loading={isPending} onClick={() => void leave()}>
            {strings.go}
          </Button>
          <Button variant="default" data-autofocus onClick={() => setUnsent(undefined)}>
            {common.cancel}
          </Button>
        </Group>
      </Dialog>
    ),
  }
}
