// The form for a new API key, and the key itself, shown once with an example call.
import { Button, Group, NativeSelect, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { MadeApiKey } from '../../../client/client.ts'
import { keys } from '../../data/keys.ts'
import { useSite } from '../../data/site.ts'
import { useWaymark } from '../../data/waymark.tsx'
import { account } from '../../strings/account.ts'
import { common } from '../../strings/common.ts'
import styles from './account.module.css'
import { useChange } from './account-data.ts'
import { useDraft } from './drafts.tsx'
import { newDraft } from './making-section.tsx'
import { Card, focusOnArrival, FormProblem } from './parts.tsx'
import { Sample, ShownOnce } from './shown-once.tsx'

const strings = account.keys
const dayMs = 86_400_000

export type KeyShown = Pick<MadeApiKey, 'apiKey' | 'name'>

type Life = keyof typeof strings.lives
const lives = ['never', '30', '90', '365'] as const

interface KeyFields {
  readonly name: string
  readonly life: (typeof lives)[number]
}

const noFields: KeyFields = { name: '', life: 'never' }

const endOf = (life: KeyFields['life']): string | null =>
  life === 'never' ? null : new Date(Date.now() + Number(life) * dayMs).toISOString()

/** An existing trail, so that the example works unchanged. */
function useSomeTrail(): number | undefined {
  const waymark = useWaymark()
  const { data } = useQuery({
    queryKey: [...keys.trails, 'first'],
    queryFn: () => waymark.trails.page({ limit: 1 }),
  })
  return data?.items[0]?.trailID
}

export function MadeKey({ made, onKept }: { readonly made: KeyShown; readonly onKept: () => void }) {
  const { publicUrl } = useSite()
  const trailId = useSomeTrail() ?? 1
  const sample = `curl -H 'X-API-Key: ${made.apiKey}' \\\n  '${publicUrl}/Trails/${trailId}/Images'`
  return (
    <ShownOnce
      title={strings.made(made.name)}
      secret={made.apiKey}
      copyLabel={strings.copyKey}
      onKept={onKept}
    >
      <Text size="sm">{strings.header}</Text>
      <Sample title={account.once.sample} code={sample} copyLabel={account.once.copySample} />
    </ShownOnce>
  )
}

interface NewKeyFormProps {
  readonly onMade: (made: KeyShown) => void
  readonly onClose: () => void
}

export function NewKeyForm({ onMade, onClose }: NewKeyFormProps) {
  const fields = useDraft('keys', newDraft, noFields)
  const { name, life } = fields.value
  const make = useChange<KeyFields, MadeApiKey>({
    act: (waymark, wanted) => waymark.me.keys.create({ name: wanted.name, expiresAt: endOf(wanted.life) }),
    stale: 'keys',
    onDone: ({ apiKey, name: named }) => {
      fields.drop()
      onMade({ apiKey, name: named })
      onClose()
    },
  })
  const close = () => {
    fields.drop()
    onClose()
  }
  return (
    <Card title={strings.make}>
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault()
          make.mutate(fields.value)
        }}
      >
        <TextInput
          label={strings.name}
          description={strings.nameHint}
          value={name}
          onChange={({ currentTarget }) => fields.set({ ...fields.value, name: currentTarget.value })}
          autoComplete="off"
          maxLength={200}
          required
          ref={focusOnArrival}
        />
        <NativeSelect
          label={strings.expires}
          value={life}
          onChange={({ currentTarget }) => {
            const found = lives.find((one) => one === currentTarget.value)
            if (found) fields.set({ ...fields.value, life: found })
          }}
          data={lives.map((value) => ({ value, label: strings.lives[value as Life] }))}
        />
        <FormProblem error={make.error} />
        <Group>
          <Button type="submit" loading={make.isPending}>
            {strings.make}
          </Button>
          <Button variant="default" onClick={close}>
            {common.cancel}
          </Button>
        </Group>
      </form>
    </Card>
  )
}
