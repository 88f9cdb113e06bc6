// Runs an operation with the visitor's key or session: reads at once, changes only after a clear warning.
import {
  Button,
  Checkbox,
  FileInput,
  NativeSelect,
  PasswordInput,
  Textarea,
  TextInput,
  Title,
} from '@mantine/core'
import '@mantine/core/styles/PasswordInput.css'
import { useMutation } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import type { Credential } from '../../../../client/client.ts'
import { useViewer } from '../../../data/site.ts'
import { apiStrings } from '../../../strings/docs.ts'
import { ProblemNotice } from '../../../ui/notices/problem-notice.tsx'
import { AnswerView } from './answer-view.tsx'
import type { NamedOperation } from './api-document.ts'
import styles from './api.module.css'
import { keepKey, useOwnKey } from './own-key.ts'
import type { Filled } from './samples.ts'
import { sendRequest, type Request } from './send-request.ts'

const strings = apiStrings.try
type Who = 'nobody' | 'session' | 'key'

interface TryItProps {
  readonly operation: NamedOperation
  readonly filled: Filled
  readonly onFill: (filled: Filled) => void
}

const successTypes = ({ responses }: NamedOperation): string[] => [
  ...new Set(
    Object.entries(responses)
      .filter(([status]) => status.startsWith('2'))
      .flatMap(([, { content = {} }]) => Object.keys(content)),
  ),
]

function Parameters({ operation, filled, onFill }: TryItProps) {
  return (operation.parameters ?? []).map(({ name, in: place, required = false, schema }) => {
    const key = `${place} ${name}`
    const put = (value: string) => onFill({ ...filled, values: { ...filled.values, [key]: value } })
    const value = filled.values[key] ?? ''
    const label = `${name} (${apiStrings.places[place] ?? place})`
    if (schema?.enum) {
      return (
        <NativeSelect
          key={key}
          label={label}
          value={value}
          data={['', ...schema.enum.map(String)]}
          onChange={(event) => put(event.currentTarget.value)}
        />
      )
    }
    return (
      <TextInput
        key={key}
        label={label}
        required={required}
        value={value}
        onChange={(event) => put(event.currentTarget.value)}
      />
    )
  })
}

interface WhoFieldsProps {
  readonly who: Who
  readonly onWho: (who: Who) => void
}

function WhoFields({ who, onWho }: WhoFieldsProps) {
  const viewer = useViewer()
  const key = useOwnKey()
  const choices = [
    ...(viewer ? [{ value: 'session', label: strings.session(viewer.displayName) }] : []),
    { value: 'key', label: strings.key },
    { value: 'nobody', label: strings.nobody },
  ]
  return (
    <>
      <NativeSelect
        label={strings.as}
        value={who}
        data={choices}
        onChange={(event) => onWho(event.currentTarget.value as Who)}
      />
      {who === 'key' && (
        <div>
          <PasswordInput
            label={strings.keyLabel}
            description={strings.keyHint}
            autoComplete="off"
            value={key}
            onChange={(event) => keepKey(event.currentTarget.value.trim())}
          />
          {key !== '' && (
            <Button mt="xs" size="compact-sm" variant="default" onClick={() => keepKey('')}>
              {strings.forget}
            </Button>
          )}
        </div>
      )}
    </>
  )
}

const credentials = (key: string): Readonly<Record<Who, Credential | undefined>> => ({
  nobody: undefined,
  session: 'session',
  key: { apiKey: key },
})

export function TryIt({ operation, filled, onFill }: TryItProps) {
  const { method, requestBody } = operation
  const viewer = useViewer()
  const key = useOwnKey()
  const [who, setWho] = useState<Who>(viewer && key === '' ? 'session' : 'key')
  const bodyTypes = Object.keys(requestBody?.content ?? {})
  const answerTypes = successTypes(operation)
  const [mediaType, setMediaType] = useState(bodyTypes[0] ?? '')
  const [accept, setAccept] = useState(answerTypes[0] ?? 'application/json')
  const [file, setFile] = useState<File>()
  const [isAgreed, setAgreed] = useState(false)
  const send = useMutation({
    mutationFn: (request: Request) => sendRequest(operation, request, credentials(key)[who]),
  })
  if (answerTypes.includes('text/event-stream')) return <p className={styles.about}>{strings.stream}</p>
  const isRead = method === 'GET'
  const isForm = mediaType === 'multipart/form-data'
  const takesFile = isForm || /^image\/|csv|geo\+json/.test(mediaType)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    send.mutate({ ...filled, file, mediaType, accept })
  }
  return (
    <section className={styles.try} aria-label={`${strings.title}: ${operation.summary ?? ''}`}>
      <Title order={4}>{strings.title}</Title>
      <form onSubmit={submit} className={styles.fields}>
        <WhoFields who={who} onWho={setWho} />
        <Parameters operation={operation} filled={filled} onFill={onFill} />
        {answerTypes.length > 1 && (
          <NativeSelect
            label={strings.accept}
            value={accept}
            data={answerTypes}
            onChange={(event) => setAccept(event.currentTarget.value)}
          />
        )}
        {bodyTypes.length > 1 && (
          <NativeSelect
            label={strings.mediaType}
            value={mediaType}
            data={bodyTypes}
            onChange={(event) => setMediaType(event.currentTarget.value)}
          />
        )}
        {takesFile && (
          <FileInput
            label={strings.file}
            value={file ?? null}
            onChange={(chosen) => setFile(chosen ?? undefined)}
          />
        )}
        {requestBody && (isForm || !takesFile) && (
          <Textarea
            className={styles.whole ?? ''}
            label={isForm ? strings.details : strings.body}
            rows={8}
            spellCheck={false}
            styles={{ input: { fontFamily: 'var(--mono)', fontSize: '0.88rem' } }}
            value={filled.body}
            onChange={(event) => onFill({ ...filled, body: event.currentTarget.value })}
          />
        )}
        {!isRead && (
          <div className={styles.warning}>
            <p>{strings.warning(method)}</p>
            <Checkbox
              label={strings.agree}
              checked={isAgreed}
              onChange={(event) => setAgreed(event.currentTarget.checked)}
            />
          </div>
        )}
        <div className={styles.whole}>
          <Button
            type="submit"
            color={isRead ? 'forest' : 'red'}
            disabled={!isRead && !isAgreed}
            loading={send.isPending}
          >
            {strings.send}
          </Button>
        </div>
      </form>
      {send.error && <ProblemNotice error={send.error} order={3} />}
      {send.data && <AnswerView answer={send.data} />}
    </section>
  )
}
