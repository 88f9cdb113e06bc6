// Pages for some only: who is not signed in is sent to do so and comes back; who lacks the role is told.
import { Button } from '@mantine/core'
import { useRouterState } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { href } from '../../data/base.ts'
import { isAdmin, isStaff, useSite, type Viewer } from '../../data/site.ts'
import { common } from '../../strings/common.ts'
import { Empty } from '../notices/empty.tsx'
import { Page } from '../page.tsx'

interface GateProps {
  readonly title: string
  /** Who the page is for: anybody signed in, whoever may review, or admins. */
  readonly who?: 'account' | 'staff' | 'admin'
  /** What the page is for, told to who is not signed in. */
  readonly detail?: string
  readonly children: ReactNode
}

const mayEnter: Readonly<Record<NonNullable<GateProps['who']>, (viewer: Viewer) => boolean>> = {
  account: () => true,
  staff: isStaff,
  admin: isAdmin,
}

/** What the page needs is asked of the server all the same: this only spares people a page that they cannot use. */
export function Gate({ title, who = 'account', detail = common.signInFirstDetail, children }: GateProps) {
  const { viewer, signUp } = useSite()
  const at = useRouterState({ select: ({ location }) => location.href })
  if (viewer && mayEnter[who](viewer)) return children
  if (viewer) {
    return (
      <Page title={title}>
        <Empty
          title={who === 'admin' ? common.adminOnly : common.staffOnly}
          detail={common.staffOnlyDetail}
        />
      </Page>
    )
  }
  return (
    <Page title={title}>
      <Empty title={common.signInFirst} detail={detail}>
        <Button component="a" href={href(`/sign-in?next=${encodeURIComponent(at)}`)}>
          {common.signIn}
        </Button>
        {signUp === 'open' && (
          <Button component="a" variant="default" href={href('/sign-up')}>
            {common.signUp}
          </Button>
        )}
      </Empty>
    </Page>
  )
}
