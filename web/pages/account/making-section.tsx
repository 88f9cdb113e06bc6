// A list to which the user adds items whose secret is shown once: the same for keys, applications and webhooks.
import { Anchor, Button } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { account } from '../../strings/account.ts'
import { Empty } from '../../ui/notices/empty.tsx'
import { useShortcuts } from '../../ui/keys/shortcuts.tsx'
import { useHasDraft } from './drafts.tsx'
import { Section, SetView } from './parts.tsx'
import type { SectionName } from './section-names.ts'

/** The name of the form's draft in each of these sections. */
export const newDraft = 'new'

interface MakingSectionProps<Item> {
  readonly name: SectionName
  readonly strings: {
    readonly lead: string
    readonly make: string
    readonly empty: string
    readonly emptyDetail: string
  }
  /** Link to further information, after the introduction. */
  readonly links: readonly (readonly [
    path: '/docs' | '/docs/applications' | '/docs/webhooks',
    label: string,
  ])[]
  readonly query: UseQueryResult<readonly Item[]>
  /** The item that was just created. */
  readonly made: ReactNode
  readonly renderForm: (onClose: () => void) => ReactNode
  readonly children: (items: readonly Item[]) => ReactNode
}

export function MakingSection<Item>(props: MakingSectionProps<Item>) {
  const { name, strings, links, query, made, renderForm, children } = props
  const title = account.sections[name]
  // An unfinished form is shown again, so that users find the changes reported as unsaved.
  const [isMaking, setMaking] = useState(useHasDraft(name, newDraft))
  const make = () => setMaking(true)
  useShortcuts(title, [{ keys: 'n', label: strings.make, run: make }])
  const makeButton = (
    <Button leftSection={<Plus size={18} aria-hidden />} onClick={make}>
      {strings.make}
    </Button>
  )
  return (
    <Section
      title={title}
      lead={
        <>
          {strings.lead}
          {links.map(([path, label], at) => (
            <span key={path}>
              {at === 0 ? ' ' : ' · '}
              <Anchor component={Link} underline="always" to={path}>
                {label}
              </Anchor>
            </span>
          ))}
        </>
      }
      actions={(query.data?.length ?? 0) > 0 && makeButton}
    >
      {made}
      {isMaking && renderForm(() => setMaking(false))}
      <SetView
        query={query}
        empty={
          !isMaking && (
            <Empty title={strings.empty} detail={strings.emptyDetail} order={3}>
              {makeButton}
            </Empty>
          )
        }
      >
        {children}
      </SetView>
    </Section>
  )
}
