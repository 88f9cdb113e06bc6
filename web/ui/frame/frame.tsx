// The frame of every page: the bar with its links, the session, and the global shortcuts.
import { ActionIcon, Button, VisuallyHidden } from '@mantine/core'
import { useNetwork } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Link, Outlet, useNavigate, useRouterState } from '@tanstack/react-router'
import { LogIn, Search } from 'lucide-react'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { href } from '../../data/base.ts'
import { keys } from '../../data/keys.ts'
import { useLive } from '../../data/live.ts'
import { isStaff, useViewer } from '../../data/site.ts'
import { useHasUploads } from '../../data/uploads-mark.ts'
import { useIsAsking } from '../../data/sign-in-again.ts'
import { useSignInAgain, useWaymark } from '../../data/waymark.tsx'
import { common } from '../../strings/common.ts'
import styles from './frame.module.css'
import { LazyMenu } from './lazy-menu.tsx'
import { Brand } from './brand.tsx'
import { pagesFor } from './pages.ts'
import { SiteFooter } from './site-footer.tsx'
import { useShortcuts } from '../keys/shortcuts.tsx'

// Not needed for the first look at a page; dialogs bring a third of the frame's weight.
const SignInDialog = lazy(async () => ({ default: (await import('./sign-in-dialog.tsx')).SignInDialog }))
const Palette = lazy(async () => ({ default: (await import('../keys/palette.tsx')).Palette }))
const UploadsTray = lazy(async () => ({
  default: (await import('../../upload/uploads-tray.tsx')).UploadsTray,
}))
const ShortcutSheet = lazy(async () => ({
  default: (await import('../keys/shortcut-sheet.tsx')).ShortcutSheet,
}))

function WaitingCount() {
  const waymark = useWaymark()
  const { data } = useQuery({ queryKey: keys.queueSummary, queryFn: () => waymark.review.summary() })
  const waiting = (data?.pending ?? 0) + (data?.edited ?? 0)
  if (waiting === 0) return null
  return (
    <span className={styles.count}>
      <span aria-hidden>{waiting > 99 ? '99+' : waiting}</span>
      <VisuallyHidden>{common.waiting(waiting)}</VisuallyHidden>
    </span>
  )
}

function Pages() {
  const viewer = useViewer()
  const shown = pagesFor(viewer).filter(({ to }) => to !== '/account' && to !== '/admin' && to !== '/docs')
  return (
    <nav aria-label={common.main} className={styles.pages}>
      {shown.map(({ to, label, icon: Icon }) => (
        <Link
          key={to}
          to={to}
          activeOptions={{ exact: to === '/' || to === '/routes' }}
          className={styles.link ?? ''}
        >
          <Icon size={20} aria-hidden />
          <span>{label}</span>
          {to === '/review' && isStaff(viewer) && <WaitingCount />}
        </Link>
      ))}
    </nav>
  )
}

/** There and back: the sign-in pages are rendered by the server. */
function SignInLink() {
  const at = useRouterState({ select: ({ location }) => location.href })
  return (
    <Button
      component="a"
      href={href(`/sign-in?next=${encodeURIComponent(at)}`)}
      leftSection={<LogIn size={18} aria-hidden />}
    >
      {common.signIn}
    </Button>
  )
}

/** Screen readers announce a new page, and the focus moves to its start. */
function useFocusOnArrival(): void {
  const path = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname })
  const isFirst = useRef(true)
  useEffect(() => {
    if (path === undefined) return
    const main = document.querySelector<HTMLElement>('#main')
    // A photo that opens above its gallery, or a tab of the page, leaves the focus where it is.
    const isWithin = document.activeElement?.closest('#main, [aria-modal=true]') !== null
    if (isFirst.current) isFirst.current = false
    else if (!isWithin || document.activeElement === main) main?.focus({ preventScroll: true })
  }, [path])
}

export function Frame() {
  const viewer = useViewer()
  const hasUploads = useHasUploads()
  const navigate = useNavigate()
  const { online } = useNetwork()
  const isAsking = useIsAsking(useSignInAgain())
  const [open, setOpen] = useState<'palette' | 'sheet'>()
  useLive()
  useFocusOnArrival()
  useShortcuts(common.everywhere, [
    { keys: '?', label: common.shortcuts, run: () => setOpen('sheet') },
    { keys: 'Mod+K', label: common.palette, isAllowedInText: true, run: () => setOpen('palette') },
    {
      keys: '/',
      label: common.search,
      run: () => {
        const field = document.querySelector<HTMLInputElement>('main input[type=search]')
        if (field) field.focus()
        else setOpen('palette')
      },
    },
    ...pagesFor(viewer).map(({ to, label, key }) => ({
      keys: `g ${key}`,
      label: common.goTo(label),
      run: () => void navigate({ to }),
    })),
  ])
  return (
    <>
      <a className={styles.skip} href="#main">
        {common.skip}
      </a>
      <header className={styles.bar}>
        <Link to="/" className={styles.brand ?? ''}>
          <Brand />
        </Link>
        <Pages />
        <div className={styles.tools}>
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            data-needs-script
            aria-label={common.palette}
            onClick={() => setOpen('palette')}
          >
            <Search size={20} aria-hidden />
          </ActionIcon>
          <LazyMenu onShortcuts={() => setOpen('sheet')} />
          {viewer === null && <SignInLink />}
        </div>
      </header>
      {!online && (
        <p role="status" className={styles.offline}>
          {common.offline}
        </p>
      )}
      {viewer?.passkeyRequired && (
        <p role="status" className={styles.offline}>
          {common.passkeyRequired}{' '}
          <Link to="/account/$section" params={{ section: 'passkeys' }}>
            {common.addPasskey}
          </Link>
        </p>
      )}
      <main id="main" tabIndex={-1} className={styles.main}>
        <Outlet />
      </main>
      <SiteFooter />
      <Suspense>{viewer && hasUploads && <UploadsTray />}</Suspense>
      <Suspense>
        {isAsking && <SignInDialog />}
        {open === 'palette' && <Palette onClose={() => setOpen(undefined)} />}
        {open === 'sheet' && <ShortcutSheet onClose={() => setOpen(undefined)} />}
      </Suspense>
    </>
  )
}
