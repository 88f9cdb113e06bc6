// Name, email address, and email notifications about photos.
import { Badge, Button, Switch, TextInput } from '@mantine/core'
import '@mantine/core/styles/Switch.css'
import { useQueryClient } from '@tanstack/react-query'
import type { Me } from '../../../../client/client.ts'
import { keys } from '../../../data/keys.ts'
import { account } from '../../../strings/account.ts'
import { useToast } from '../../../ui/notices/toasts.tsx'
import { ProblemNotice } from '../../../ui/notices/problem-notice.tsx'
import { PagePending } from '../../../ui/notices/route-states.tsx'
import styles from '../account.module.css'
import { useChange, useKeepMe, useMe } from '../account-data.ts'
import { useConfirmPerson } from '../confirm-person.tsx'
import { useDraft } from '../drafts.tsx'
import { Card, Facts, FormProblem, Section, When } from '../parts.tsx'

const strings = account.profile

function NameForm({ me }: { readonly me: Me }) {
  const name = useDraft('profile', 'name', me.displayName)
  const queries = useQueryClient()
  const keep = useKeepMe()
  const change = useChange<string, Me>({
    act: (waymark, displayName) => waymark.me.change({ displayName }),
    successText: () => strings.nameSaved,
    onDone: (saved, displayName) => {
      keep(saved)
      name.dropSaved(displayName)
      // The header shows the name as well.
      void queries.invalidateQueries({ queryKey: keys.site })
    },
  })
  return (
    <Card title={strings.name}>
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault()
          change.mutate(name.value)
        }}
      >
        <TextInput
          label={strings.name}
          description={strings.nameHint}
          value={name.value}
          onChange={({ currentTarget }) => name.set(currentTarget.value)}
          autoComplete="name"
          maxLength={256}
          required
        />
        <FormProblem error={change.error} />
        <div>
          <Button type="submit" loading={change.isPending} disabled={!name.isChanged}>
            {strings.nameSave}
          </Button>
        </div>
      </form>
    </Card>
  )
}

function EmailForm({ me }: { readonly me: Me }) {
  const confirm = useConfirmPerson()
  const email = useDraft('profile', 'email', '')
  const change = useChange<string, Awaited<ReturnType<typeof changeTo>>>({
    act: (waymark, wanted) =>
      confirm((password = '') => waymark.me.setEmail({ email: wanted, password }), {
        isAskedFirst: me.hasPassword,
      }).then((answer) => changeTo(answer, wanted)),
    successText: ({ status, wanted }) =>
      status === 'changed' ? strings.emailChanged(wanted) : strings.emailSent(wanted),
    onDone: (_answer, wanted) => email.dropSaved(wanted),
  })
  return (
    <Card title={strings.email}>
      <p className={styles.line}>
        {me.email}{' '}
        <Badge variant="light" tt="none" color={me.emailVerified ? 'forest' : 'blue'}>
          {me.emailVerified ? strings.confirmed : strings.unconfirmed}
        </Badge>
      </p>
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault()
          change.mutate(email.value)
        }}
      >
        <TextInput
          type="email"
          label={strings.newEmail}
          value={email.value}
          onChange={({ currentTarget }) => email.set(currentTarget.value)}
          autoComplete="email"
          maxLength={254}
          required
        />
        <FormProblem error={change.error} />
        <div>
          <Button type="submit" loading={change.isPending} disabled={!email.isChanged}>
            {strings.emailSave}
          </Button>
        </div>
      </form>
    </Card>
  )
}

const changeTo = ({ status }: { readonly status: 'changed' | 'confirmation-sent' }, wanted: string) => ({
  status,
  wanted,
})

function MailsSwitch({ me }: { readonly me: Me }) {
  const toast = useToast()
  const keep = useKeepMe()
  const change = useChange<Me['mails'], Me>({
    act: (waymark, mails) => waymark.me.change({ mails }),
    onDone: (saved) => {
      keep(saved)
      const { mails } = saved
      const undo = () => change.mutate(mails === 'on' ? 'off' : 'on')
      toast({ message: mails === 'on' ? strings.mailsOn : strings.mailsOff, undo })
    },
  })
  return (
    <Card title={strings.mails}>
      <Switch
        label={strings.mails}
        description={strings.mailsHint}
        checked={me.mails === 'on'}
        disabled={change.isPending}
        onChange={({ currentTarget }) => change.mutate(currentTarget.checked ? 'on' : 'off')}
      />
      <FormProblem error={change.error} />
    </Card>
  )
}

export function ProfileSection() {
  const { data: me, error, refetch } = useMe()
  if (me === undefined && error) return <ProblemNotice error={error} onRetry={() => void refetch()} />
  if (me === undefined) return <PagePending />
  const { role, trails } = me
  const limit = role === 'reviewer' && trails !== null ? `, ${strings.trails(trails.join(', '))}` : ''
  return (
    <Section title={account.sections.profile} lead={strings.lead}>
      <Facts
        facts={[
          [strings.number, String(me.acctID)],
          [strings.role, strings.roles[role] + limit],
          [strings.since, <When key="since" at={me.createdAt} />],
        ]}
      />
      <NameForm me={me} />
      <EmailForm me={me} />
      <MailsSwitch me={me} />
    </Section>
  )
}
