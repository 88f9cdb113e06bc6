// Account deletion: what is deleted, what stays, and a word to type as confirmation.
import { Button, Group, List, Radio, Stack, TextInput } from '@mantine/core'
import '@mantine/core/styles/List.css'
import '@mantine/core/styles/Radio.css'
import { useState } from 'react'
import type { Leaving, LeavingReport } from '../../../../client/client.ts'
import { href } from '../../../data/base.ts'
import { useSignInAgain } from '../../../data/waymark.tsx'
import { account } from '../../../strings/account.ts'
import { Empty } from '../../../ui/notices/empty.tsx'
import styles from '../account.module.css'
import { useChange } from '../account-data.ts'
import { useConfirmPerson } from '../confirm-person.tsx'
import { useDrafts } from '../drafts.tsx'
import { Card, focusOnArrival, FormProblem, Section } from '../parts.tsx'

const strings = account.leave
type Fate = Leaving['photos']
const fates: readonly Fate[] = ['delete', 'keep']

/** Nobody is signed in any more, so every link reloads the site. */
function Gone({ report }: { readonly report: LeavingReport }) {
  const { photosDeleted: photos, photosKept: kept, routesDeleted: routes } = report
  return (
    <div role="status" ref={focusOnArrival} tabIndex={-1}>
      <Empty title={strings.done} detail={strings.doneDetail({ photos, kept, routes })}>
        <Button component="a" href={href('/')}>
          {strings.toStart}
        </Button>
      </Empty>
    </div>
  )
}

function Consequences() {
  return (
    <div className={styles.columns}>
      {(
        [
          [strings.goes, strings.goesList],
          [strings.stays, strings.staysList],
        ] as const
      ).map(([title, lines]) => (
        <Card key={title} title={title}>
          <List spacing="xs">
            {lines.map((line) => (
              <List.Item key={line}>{line}</List.Item>
            ))}
          </List>
        </Card>
      ))}
    </div>
  )
}

export function LeaveSection() {
  const confirm = useConfirmPerson()
  const drafts = useDrafts()
  const again = useSignInAgain()
  const [photos, setPhotos] = useState<Fate>('keep')
  const [typed, setTyped] = useState('')
  const [report, setReport] = useState<LeavingReport>()
  const leave = useChange<Fate, LeavingReport>({
    act: (waymark, fate) => confirm((password) => waymark.me.remove({ photos: fate, password })),
    stale: 'none',
    onDone: (done) => {
      again.retire()
      for (const name of drafts.all().keys()) drafts.set(name, undefined)
      setReport(done)
    },
  })
  if (report) return <Gone report={report} />
  return (
    <Section title={account.sections.leave} lead={strings.lead}>
      <div>
        <Button component="a" href={href('/v2/me/takeout')} download variant="default">
          {strings.download}
        </Button>
      </div>
      <Consequences />
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault()
          leave.mutate(photos)
        }}
      >
        <Radio.Group
          label={strings.photos}
          value={photos}
          onChange={(value) => setPhotos(fates.find((fate) => fate === value) ?? 'keep')}
        >
          <Stack gap="sm" mt="xs">
            {fates.toReversed().map((fate) => (
              <Radio
                key={fate}
                value={fate}
                label={strings.fates[fate]}
                description={strings.fateHints[fate]}
              />
            ))}
          </Stack>
        </Radio.Group>
        <TextInput
          label={strings.typed(strings.word)}
          value={typed}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          autoComplete="off"
          autoCapitalize="off"
        />
        <FormProblem error={leave.error} />
        <Group>
          <Button
            type="submit"
            color="red"
            loading={leave.isPending}
            disabled={typed.trim().toLowerCase() !== strings.word}
          >
            {strings.delete}
          </Button>
        </Group>
      </form>
    </Section>
  )
}
