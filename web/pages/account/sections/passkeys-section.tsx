// Passkeys: list, add, remove.
import { Button, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { keys } from '../../../data/keys.ts'
import { useSite } from '../../../data/site.ts'
import { account } from '../../../strings/account.ts'
import { Empty } from '../../../ui/notices/empty.tsx'
import styles from '../account.module.css'
import { useChange, useSet, type ItemOf } from '../account-data.ts'
import { useConfirmPerson } from '../confirm-person.tsx'
import { useDraft } from '../drafts.tsx'
import { Card, Danger, FormProblem, Row, Rows, Section, SetView, When } from '../parts.tsx'
import { knowsPasskeys, makePasskey } from '../passkey-ceremony.ts'

const strings = account.passkeys
type Passkey = ItemOf<'passkeys'>

/** Platform errors have names; these have their own message. */
function sentenceFor(error: Error | null): string | undefined {
  const { failures } = strings
  return error && Object.hasOwn(failures, error.name)
    ? failures[error.name as keyof typeof failures]
    : undefined
}

function AddForm() {
  const confirm = useConfirmPerson()
  const queries = useQueryClient()
  const name = useDraft('passkeys', 'name', '')
  const add = useChange<string>({
    act: async (waymark, wanted) => {
      const options = await confirm((password) => waymark.me.passkeys.options({ password }))
      return waymark.me.passkeys.add({ name: wanted, response: await makePasskey(options) })
    },
    stale: 'passkeys',
    successText: () => strings.added,
    onDone: (_added, wanted) => {
      name.dropSaved(wanted)
      // The session's permissions may depend on it (STAFF_SIGN_IN).
      void queries.invalidateQueries({ queryKey: keys.site })
    },
  })
  const sentence = sentenceFor(add.error)
  return (
    <Card title={strings.add}>
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault()
          add.mutate(name.value)
        }}
      >
        <TextInput
          label={strings.name}
          description={strings.nameHint}
          value={name.value}
          onChange={({ currentTarget }) => name.set(currentTarget.value)}
          autoComplete="off"
          maxLength={200}
          required
        />
        {sentence === undefined ? (
          <FormProblem error={add.error} />
        ) : (
          <p role="alert" className={styles.refused}>
            {sentence}
          </p>
        )}
        <div>
          <Button type="submit" loading={add.isPending}>
            {strings.add}
          </Button>
        </div>
      </form>
    </Card>
  )
}

function RemoveDialog({ passkey, onClose }: { readonly passkey: Passkey; readonly onClose: () => void }) {
  const confirm = useConfirmPerson()
  const remove = useChange({
    act: (waymark) => confirm((password) => waymark.me.passkeys.remove(passkey.id, { password })),
    stale: 'passkeys',
    successText: () => strings.removed,
    onDone: onClose,
  })
  return (
    <Danger
      title={strings.removeTitle(passkey.name)}
      detail={strings.removeDetail}
      label={strings.remove}
      change={remove}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    />
  )
}

export function PasskeysSection() {
  const { hasPasskeys } = useSite()
  const query = useSet('passkeys')
  const [removed, setRemoved] = useState<Passkey>()
  const whyNot = hasPasskeys ? (knowsPasskeys() ? undefined : strings.notInBrowser) : strings.notHere
  return (
    <Section title={account.sections.passkeys} lead={strings.lead}>
      <SetView
        query={query}
        empty={<Empty title={strings.empty} detail={whyNot ?? strings.emptyDetail} order={3} />}
      >
        {(passkeys) => (
          <Rows label={account.sections.passkeys}>
            {passkeys.map((passkey) => (
              <Row
                key={passkey.id}
                title={passkey.name}
                facts={[
                  [strings.addedAt, <When key="added" at={passkey.createdAt} />],
                  [
                    strings.lastUsed,
                    passkey.lastUsedAt === null ? account.never : <When key="used" at={passkey.lastUsedAt} />,
                  ],
                ]}
                actions={
                  <Button
                    variant="default"
                    size="compact-sm"
                    aria-label={`${strings.remove}: ${passkey.name}`}
                    onClick={() => setRemoved(passkey)}
                  >
                    {strings.remove}
                  </Button>
                }
              />
            ))}
          </Rows>
        )}
      </SetView>
      {whyNot === undefined && <AddForm />}
      {removed && <RemoveDialog passkey={removed} onClose={() => setRemoved(undefined)} />}
    </Section>
  )
}
