// The account pages: everything about the user's own account, one section at a time.
import { Button, Group, Text } from '@mantine/core'
import { Link, useBlocker, useNavigate, useParams } from '@tanstack/react-router'
import { createElement, useEffect, useRef, type ComponentType } from 'react'
import { account } from '../../strings/account.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Empty } from '../../ui/notices/empty.tsx'
import { Gate } from '../../ui/frame/gate.tsx'
import { Page } from '../../ui/page.tsx'
import { useShortcuts } from '../../ui/keys/shortcuts.tsx'
import styles from './account.module.css'
import { ConfirmPerson } from './confirm-person.tsx'
import { DraftsProvider, useUnsaved } from './drafts.tsx'
import { sectionBeside, sectionGroups, sectionIn, type SectionName } from './section-names.ts'
import { AppsSection } from './sections/apps-section.tsx'
import { DataSection } from './sections/data-section.tsx'
import { DeveloperSection } from './sections/developer-section.tsx'
import { DevicesSection } from './sections/devices-section.tsx'
import { KeysSection } from './sections/keys-section.tsx'
import { LeaveSection } from './sections/leave-section.tsx'
import { PasskeysSection } from './sections/passkeys-section.tsx'
import { PasswordSection } from './sections/password-section.tsx'
import { ProfileSection } from './sections/profile-section.tsx'
import { SessionsSection } from './sections/sessions-section.tsx'
import { WebhooksSection } from './sections/webhooks-section.tsx'
import { ZonesSection } from './sections/zones-section.tsx'

const sections: Readonly<Record<SectionName, ComponentType>> = {
  profile: ProfileSection,
  password: PasswordSection,
  passkeys: PasskeysSection,
  sessions: SessionsSection,
  applications: AppsSection,
  devices: DevicesSection,
  keys: KeysSection,
  developer: DeveloperSection,
  webhooks: WebhooksSection,
  zones: ZonesSection,
  data: DataSection,
  leave: LeaveSection,
}

function SectionList({ current }: { readonly current: SectionName | undefined }) {
  const unsaved = useUnsaved()
  const list = useRef<HTMLElement>(null)
  // On a phone the list is a horizontal strip that is wider than the window.
  useEffect(() => {
    const link = list.current?.querySelector<HTMLElement>(`[data-section="${current ?? ''}"]`)
    if (list.current && link) list.current.scrollLeft = link.offsetLeft - list.current.clientWidth / 3
  }, [current])
  return (
    <nav aria-label={account.sectionsLabel} className={styles.list} ref={list}>
      {sectionGroups.map(({ group, names }) => (
        <div key={group} className={styles.group}>
          <p className={styles.groupTitle}>{account.groups[group]}</p>
          {names.map((name) => (
            <Link
              key={name}
              to="/account/$section"
              params={{ section: name }}
              className={styles.item ?? ''}
              data-section={name}
              aria-current={name === current ? 'page' : undefined}
              resetScroll={false}
            >
              {account.sections[name]}
              {unsaved.has(name) && (
                <span
                  className={styles.unsaved}
                  role="img"
                  aria-label={account.unsaved}
                  title={account.unsaved}
                />
              )}
            </Link>
          ))}
        </div>
      ))}
    </nav>
  )
}

/** Within the account pages drafts are kept in memory; leaving them asks first. */
function LeavingGuard() {
  const unsaved = useUnsaved()
  const blocker = useBlocker({
    shouldBlockFn: ({ next }) => unsaved.size > 0 && !/^\/account(\/|$)/.test(next.pathname),
    enableBeforeUnload: () => unsaved.size > 0,
    withResolver: true,
  })
  const names = Object.entries(account.sections).flatMap(([name, title]) =>
    unsaved.has(name) ? [title] : [],
  )
  if (blocker.status !== 'blocked') return null
  return (
    <Dialog onClose={blocker.reset} title={account.leaving.title}>
      <Text>{account.leaving.detail(names.join(', '))}</Text>
      <Group mt="lg">
        <Button onClick={blocker.reset} data-autofocus>
          {account.leaving.stay}
        </Button>
        <Button variant="default" onClick={blocker.proceed}>
          {account.leaving.leave}
        </Button>
      </Group>
    </Dialog>
  )
}

function Account() {
  const { section } = useParams({ strict: false })
  const current = sectionIn(section)
  const navigate = useNavigate()
  const go = (step: 1 | -1) =>
    void navigate({
      to: '/account/$section',
      params: { section: sectionBeside(current ?? 'profile', step) },
      resetScroll: false,
    })
  useShortcuts(account.title, [
    { keys: ']', label: account.nextSection, run: () => go(1) },
    { keys: '[', label: account.previousSection, run: () => go(-1) },
  ])
  return (
    <Page title={account.title}>
      <div className={styles.columnsOfPage}>
        <SectionList current={current} />
        <div className={styles.content}>
          {current ? (
            createElement(sections[current])
          ) : (
            <Empty title={account.noSection} detail={account.noSectionDetail} />
          )}
        </div>
      </div>
      <LeavingGuard />
    </Page>
  )
}

export function AccountPage() {
  return (
    <Gate title={account.title}>
      <DraftsProvider>
        <ConfirmPerson>
          <Account />
        </ConfirmPerson>
      </DraftsProvider>
    </Gate>
  )
}
