// Restricted pages: visitors are sent to sign in and come back; users without the role see a message.
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
  /** Required access: signed in, reviewer, or admin. */
  readonly who?: 'account' | 'staff' | 'admin'
  /** What the page is for, shown to visitors. */
  readonly detail?: string
  readonly children: ReactNode
}

const mayEnter: Readonly<Record<NonNullable<GateProps['who']>, (viewer: Viewer) => boolean>> = {
  account: () => true,
  staff: isStaff,
  admin: isAdmin,
}

/** The server checks all data anyway: this only spares users a page that they cannot use. */
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
