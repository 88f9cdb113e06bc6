// The photo licence and the upload terms: chosen, published as a new version, and previewed.
import { Button, Checkbox, NativeSelect, Text, Textarea, TextInput } from '@mantine/core'
import { useState, type FormEvent } from 'react'
import {
  isWaymarkProblem,
  type Answer,
  type NewPhotoTerms,
  type PhotoTerms,
} from '../../../../client/client.ts'
import { keys } from '../../../data/keys.ts'
import { adminTerms as strings } from '../../../strings/admin-things.ts'
import { admin } from '../../../strings/admin.ts'
import { formatDateTime } from '../../../ui/format.ts'
import { ProblemNotice } from '../../../ui/notices/problem-notice.tsx'
import { useToast } from '../../../ui/notices/toasts.tsx'
import { AdminFrame } from '../admin-frame.tsx'
import styles from '../admin.module.css'
import { Loaded } from '../loaded.tsx'
import { useChange, useToEdit } from '../queries.ts'

interface LicenceFields {
  readonly code: string
  readonly name: string
  readonly url: string
}

const cc = (code: string, name: string, path: string): LicenceFields => ({
  code,
  name,
  url: `https://creativecommons.org/${path}/`,
})

/** The most common licences. */
const usual: readonly LicenceFields[] = [
  cc('CC0-1.0', 'CC0 1.0, no rights reserved', 'publicdomain/zero/1.0'),
  cc('CC-BY-4.0', 'Creative Commons Attribution 4.0', 'licenses/by/4.0'),
  cc('CC-BY-SA-4.0', 'Creative Commons Attribution-ShareAlike 4.0', 'licenses/by-sa/4.0'),
  cc('CC-BY-NC-4.0', 'Creative Commons Attribution-NonCommercial 4.0', 'licenses/by-nc/4.0'),
]

type Choice = 'none' | 'own' | (string & {})

interface Draft extends LicenceFields {
  readonly choice: Choice
  readonly text: string
  readonly termsUrl: string
}

function draftOf({ licence, terms }: NewPhotoTerms): Draft {
  const { code, name, url = '' } = licence ?? { code: '', name: '' }
  const same = usual.find((one) => one.code === code && one.name === name && one.url === url)
  return {
    choice: licence ? (same?.code ?? 'own') : 'none',
    code,
    name,
    url,
    text: terms?.text ?? '',
    termsUrl: terms?.url ?? '',
  }
}

const withUrl = <Fields extends object>(fields: Fields, url: string) =>
  url.trim() === '' ? fields : { ...fields, url: url.trim() }

function termsOf({ choice, code, name, url, text, termsUrl }: Draft): NewPhotoTerms {
  return {
    licence: choice === 'none' ? null : withUrl({ code: code.trim(), name: name.trim() }, url),
    terms: text.trim() === '' ? null : withUrl({ text }, termsUrl),
  }
}

function Preview({ licence, terms }: NewPhotoTerms) {
  const away = { target: '_blank', rel: 'noreferrer' } as const
  return (
    <section className={styles.preview} aria-label={strings.preview}>
      <h2>{strings.preview}</h2>
      {licence === null && terms === null && <p className={styles.hint}>{strings.previewNothing}</p>}
      {licence && (
        <Text>
          {strings.shownUnder(licence.name)}
          {licence.url !== undefined && (
            <>
              {'. '}
              <a href={licence.url} {...away}>
                {strings.read}
              </a>
            </>
          )}
        </Text>
      )}
      {terms && (
        <>
          <blockquote>{terms.text}</blockquote>
          {terms.url !== undefined && (
            <a href={terms.url} {...away}>
              {strings.more}
            </a>
          )}
          <Checkbox label={strings.agree} />
        </>
      )}
    </section>
  )
}

type Read = Pick<Answer<PhotoTerms>, 'data' | 'etag'>

function TermsForm({ read, onReload }: { readonly read: Read; readonly onReload: () => void }) {
  const { data: current, etag } = read
  const toast = useToast()
  const [draft, setDraft] = useState(() => draftOf(current))
  const put = (part: Partial<Draft>) => setDraft((before) => ({ ...before, ...part }))
  const wanted = termsOf(draft)
  const isSame = JSON.stringify(wanted) === JSON.stringify({ licence: current.licence, terms: current.terms })
  const change = useChange({
    run: ({ admin: calls }, next: { readonly terms: NewPhotoTerms; readonly ifMatch?: string | undefined }) =>
      calls.terms.set(next.terms, { ifMatch: next.ifMatch }),
    stale: [keys.site, ['terms']],
    onDone: (_terms, next) => {
      const { licence, terms } = current
      const undo =
        next.ifMatch === undefined ? {} : { undo: () => change.mutate({ terms: { licence, terms } }) }
      toast({ message: strings.saved, tone: 'good', ...undo })
    },
  })
  const isOverrun = isWaymarkProblem(change.error) && change.error.status === 412
  const choose = (choice: string) =>
    put({ choice, ...(usual.find(({ code }) => code === choice) ?? { code: '', name: '', url: '' }) })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    change.mutate({ terms: wanted, ifMatch: etag })
  }
  return (
    <div className={styles.two}>
      <form className={styles.form} onSubmit={submit}>
        <div>
          <Text fw={600}>
            {current.version === null || current.changedAt === null
              ? strings.versionNone
              : strings.versionOf(current.version, formatDateTime(current.changedAt))}
          </Text>
          <p className={styles.hint}>{strings.versionHint}</p>
        </div>
        <NativeSelect
          label={strings.licence}
          value={draft.choice}
          data={[
            { value: 'none', label: strings.licenceNone },
            ...usual.map(({ code, name }) => ({ value: code, label: name })),
            { value: 'own', label: strings.licenceOwn },
          ]}
          onChange={(event) => choose(event.currentTarget.value)}
        />
        {draft.choice === 'own' && (
          <>
            <TextInput
              label={strings.code}
              description={strings.codeHint}
              required
              maxLength={64}
              value={draft.code}
              onChange={(event) => put({ code: event.currentTarget.value })}
            />
            <TextInput
              label={strings.name}
              required
              maxLength={200}
              value={draft.name}
              onChange={(event) => put({ name: event.currentTarget.value })}
            />
            <TextInput
              label={strings.url}
              type="url"
              value={draft.url}
              onChange={(event) => put({ url: event.currentTarget.value })}
            />
          </>
        )}
        <Textarea
          label={strings.terms}
          description={strings.termsHint}
          rows={8}
          maxLength={20_000}
          value={draft.text}
          onChange={(event) => put({ text: event.currentTarget.value })}
        />
        {draft.text.trim() !== '' && (
          <TextInput
            label={strings.termsUrl}
            type="url"
            value={draft.termsUrl}
            onChange={(event) => put({ termsUrl: event.currentTarget.value })}
          />
        )}
        {change.error && (
          <ProblemNotice error={change.error}>
            {isOverrun && (
              <Button
                variant="default"
                onClick={() => {
                  change.reset()
                  onReload()
                }}
              >
                {admin.loadAnew}
              </Button>
            )}
          </ProblemNotice>
        )}
        <div className={styles.bar}>
          <Button type="submit" disabled={isSame} loading={change.isPending}>
            {strings.save}
          </Button>
          {isSame && <span className={styles.hint}>{strings.unchanged}</span>}
        </div>
      </form>
      <Preview {...wanted} />
    </div>
  )
}

export function TermsSection() {
  const query = useToEdit<Read>([...keys.admin, 'terms'], async ({ send }) => {
    const { data, etag } = await send<PhotoTerms>('GET', '/v2/terms')
    return { data, etag }
  })
  return (
    <AdminFrame section="terms">
      <Loaded query={query}>
        {(read) => (
          <TermsForm key={read.data.version ?? ''} read={read} onReload={() => void query.refetch()} />
        )}
      </Loaded>
    </AdminFrame>
  )
}
