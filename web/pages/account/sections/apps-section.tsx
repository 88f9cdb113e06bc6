// The applications with access to the account, and revoking it.
import { Button } from '@mantine/core'
import { useState } from 'react'
import { account } from '../../../strings/account.ts'
import { Empty } from '../../../ui/notices/empty.tsx'
import { useChange, useSet, type ItemOf } from '../account-data.ts'
import { Danger, Row, Rows, Section, SetView, When } from '../parts.tsx'
import { ScopeList } from '../scope-list.tsx'

const strings = account.apps
type App = ItemOf<'apps'>

function RevokeDialog({ app, onClose }: { readonly app: App; readonly onClose: () => void }) {
  const revoke = useChange({
    act: (waymark) => waymark.me.apps.revoke(app.clientId),
    stale: 'apps',
    successText: () => strings.revoked(app.name),
    onDone: onClose,
  })
  return (
    <Danger
      title={strings.revokeTitle(app.name)}
      detail={strings.revokeDetail}
      label={strings.revoke}
      change={revoke}
      onConfirm={() => revoke.mutate()}
      onClose={onClose}
    />
  )
}

export function AppsSection() {
  const query = useSet('apps')
  const [asked, setAsked] = useState<App>()
  return (
    <Section title={account.sections.applications} lead={strings.lead}>
      <SetView query={query} empty={<Empty title={strings.empty} detail={strings.emptyDetail} order={3} />}>
        {(apps) => (
          <Rows label={account.sections.applications}>
            {apps.map((app) => (
              <Row
                key={app.clientId}
                title={app.name}
                facts={[
                  [strings.publisher, app.publisher],
                  [strings.since, <When key="since" at={app.grantedAt} />],
                ]}
                actions={
                  <Button
                    variant="default"
                    size="compact-sm"
                    aria-label={`${strings.revoke}: ${app.name}`}
                    onClick={() => setAsked(app)}
                  >
                    {strings.revoke}
                  </Button>
                }
              >
                <ScopeList scopes={app.scopes} />
              </Row>
            ))}
          </Rows>
        )}
      </SetView>
      {asked && <RevokeDialog app={asked} onClose={() => setAsked(undefined)} />}
    </Section>
  )
}
