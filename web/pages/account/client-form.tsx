// The form fields of the user's own application, for creating and editing.
import { Button, Checkbox, Group, Radio, Stack, Text, Textarea, TextInput } from '@mantine/core'
import '@mantine/core/styles/Radio.css'
import { account } from '../../strings/account.ts'
import { common } from '../../strings/common.ts'
import { scopeSentences } from '../../strings/scopes.ts'
import styles from './account.module.css'
import { useMe } from './account-data.ts'
import { focusOnArrival, FormProblem } from './parts.tsx'
import { isScope } from './scope-list.tsx'

const strings = account.developer

export interface ClientFields {
  readonly name: string
  /** One per line, as typed. */
  readonly redirectUris: string
  readonly scopes: readonly string[]
  readonly isPublic: boolean
}

export const noClient: ClientFields = {
  name: '',
  redirectUris: '',
  scopes: ['images:read'],
  isPublic: false,
}

/** In the form of the API; the client type cannot be changed later. */
export const sentClient = ({ name, redirectUris, scopes }: ClientFields) => ({
  name,
  scopes: [...scopes],
  redirectUris: redirectUris.split(/\s+/).filter((uri) => uri !== ''),
})

interface ClientFormProps {
  readonly fields: ClientFields
  readonly onChange: (fields: ClientFields) => void
  readonly hasKind: boolean
  readonly submitLabel: string
  readonly change: { readonly isPending: boolean; readonly error: unknown }
  readonly onSubmit: () => void
  readonly onClose: () => void
}

export function ClientForm(props: ClientFormProps) {
  const { fields, onChange, hasKind, submitLabel, change, onSubmit, onClose } = props
  // A session's scopes are those of the role; no others can be requested.
  const offered = (useMe().data?.scopes ?? []).filter(isScope)
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault()
        event.stopPropagation()
        onSubmit()
      }}
    >
      <TextInput
        label={strings.name}
        description={strings.nameHint}
        value={fields.name}
        onChange={({ currentTarget }) => onChange({ ...fields, name: currentTarget.value })}
        autoComplete="off"
        maxLength={200}
        required
        ref={focusOnArrival}
      />
      <Textarea
        label={strings.uris}
        description={strings.urisHint}
        value={fields.redirectUris}
        onChange={({ currentTarget }) => onChange({ ...fields, redirectUris: currentTarget.value })}
        rows={3}
        spellCheck={false}
      />
      <Checkbox.Group
        label={strings.scopes}
        value={[...fields.scopes]}
        onChange={(scopes) => onChange({ ...fields, scopes })}
      >
        <Stack gap="sm" mt="xs">
          {offered.map((scope) => (
            <Checkbox key={scope} value={scope} label={scope} description={scopeSentences[scope]} />
          ))}
        </Stack>
      </Checkbox.Group>
      {hasKind && (
        <Radio.Group
          label={strings.kind}
          value={fields.isPublic ? 'public' : 'confidential'}
          onChange={(kind) => onChange({ ...fields, isPublic: kind === 'public' })}
        >
          <Stack gap="sm" mt="xs">
            <Radio value="confidential" label={strings.confidential} />
            <Radio value="public" label={strings.public} />
          </Stack>
        </Radio.Group>
      )}
      <FormProblem error={change.error} />
      <Group>
        <Button type="submit" loading={change.isPending}>
          {submitLabel}
        </Button>
        <Button variant="default" onClick={onClose}>
          {common.cancel}
        </Button>
      </Group>
      {fields.scopes.length === 0 && (
        <Text size="sm" c="dimmed">
          {strings.scopesNeeded}
        </Text>
      )}
    </form>
  )
}
