// The signed-in browsers: this one is marked, others can be signed out.
import { Badge, Button, Text } from '@mantine/core'
import { account } from '../../../strings/account.ts'
import { useChange, useSet } from '../account-data.ts'
import { browserName } from '../browser-name.ts'
import { FormProblem, Row, Rows, Section, SetView, When } from '../parts.tsx'

const strings = account.sessions

export function SessionsSection() {
  const query = useSet('sessions')
  const end = useChange<string>({
    act: (waymark, id) => waymark.me.sessions.end(id),
    stale: 'sessions',
    successText: () => strings.ended,
  })
  const endOthers = useChange({
    act: (waymark) => waymark.me.sessions.endOthers(),
    stale: 'sessions',
    successText: () => strings.othersEnded,
  })
  const others = (query.data ?? []).filter(({ isCurrent }) => !isCurrent).length
  return (
    <Section
      title={account.sections.sessions}
      lead={strings.lead}
      actions={
        others > 0 && (
          <Button variant="default" loading={endOthers.isPending} onClick={() => endOthers.mutate()}>
            {strings.endOthers}
          </Button>
        )
      }
    >
      <FormProblem error={end.error ?? endOthers.error} />
      <SetView query={query} empty={null}>
        {(sessions) => (
          <Rows label={account.sections.sessions}>
            {sessions.map(({ id, browser, isCurrent, createdAt, lastSeenAt, expiresAt }) => (
              <Row
                key={id}
                title={
                  <>
                    {browserName(browser)}{' '}
                    {isCurrent && (
                      <Badge variant="light" tt="none">
                        {strings.current}
                      </Badge>
                    )}
                  </>
                }
                facts={[
                  [strings.begun, <When key="begun" at={createdAt} />],
                  [strings.seen, <When key="seen" at={lastSeenAt} />],
                  [strings.ends, <When key="ends" at={expiresAt} />],
                ]}
                actions={
                  !isCurrent && (
                    <Button
                      variant="default"
                      size="compact-sm"
                      aria-label={strings.endOf(browserName(browser))}
                      disabled={end.isPending}
                      onClick={() => end.mutate(id)}
                    >
                      {strings.end}
                    </Button>
                  )
                }
              />
            ))}
          </Rows>
        )}
      </SetView>
      {query.data !== undefined && others === 0 && <Text c="dimmed">{strings.alone}</Text>}
    </Section>
  )
}
