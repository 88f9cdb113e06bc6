// Branding: name, colour and footer in one form, with a preview; logo and favicon separately.
import { Button, Textarea, TextInput } from '@mantine/core'
import { useState, type FormEvent } from 'react'
import { isWaymarkProblem, type Answer, type Branding, type NewBranding } from '../../../../client/client.ts'
import { isColour, ownAccent } from '../../../../src/shared/colours/accent.ts'
import { maxBrandNameLength, maxFooterTextLength } from '../../../../src/shared/branding-limits.ts'
import { keys } from '../../../data/keys.ts'
import { useSite } from '../../../data/site.ts'
import { admin } from '../../../strings/admin.ts'
import { branding as strings } from '../../../strings/branding.ts'
import { ProblemNotice } from '../../../ui/notices/problem-notice.tsx'
import { useToast } from '../../../ui/notices/toasts.tsx'
import { AdminFrame } from '../admin-frame.tsx'
import styles from '../admin.module.css'
import own from '../branding/branding.module.css'
import { BrandingPictures } from '../branding/branding-pictures.tsx'
import { BrandingPreview } from '../branding/branding-preview.tsx'
import { FooterLinks, isSoundLink, type LinkRow } from '../branding/footer-links.tsx'
import { showAccent } from '../branding/show-accent.ts'
import { Loaded } from '../loaded.tsx'
import { useChange, useToEdit } from '../queries.ts'

interface Draft {
  readonly name: string
  readonly accent: string
  readonly text: string
  readonly links: readonly LinkRow[]
}

const nothing: Draft = { name: '', accent: '', text: '', links: [] }

const draftOf = ({ name, accent, footer }: NewBranding): Draft => ({
  name: name ?? '',
  accent: accent ?? '',
  text: footer.text,
  links: footer.links.map((link, id) => ({ id, ...link })),
})

const brandingOf = ({ name, accent, text, links }: Draft): NewBranding => ({
  name: name.trim() === '' ? null : name.trim(),
  accent: accent.trim() === '' ? null : accent.trim().toLowerCase(),
  footer: {
    text: text.trim(),
    links: links.map(({ label, url }) => ({ label: label.trim(), url: url.trim() })),
  },
})

const isSoundAccent = (accent: string): boolean => accent.trim() === '' || isColour(accent.trim())

interface AccentFieldProps {
  readonly accent: string
  readonly onChange: (accent: string) => void
}

function AccentField({ accent, onChange }: AccentFieldProps) {
  return (
    <div className={own.accent}>
      <TextInput
        label={strings.accent}
        description={strings.accentHint}
        maxLength={7}
        value={accent}
        error={!isSoundAccent(accent) && strings.accentWrong}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      <input
        type="color"
        aria-label={strings.accentPick}
        value={isColour(accent.trim()) ? accent.trim().toLowerCase() : ownAccent.light}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    </div>
  )
}

type Read = Pick<Answer<Branding>, 'data' | 'etag'>

function BrandingForm({ read, onReload }: { readonly read: Read; readonly onReload: () => void }) {
  const { data: current, etag } = read
  const { branding } = useSite()
  const toast = useToast()
  const [draft, setDraft] = useState(() => draftOf(current))
  const [showsFaults, setShowsFaults] = useState(false)
  const put = (part: Partial<Draft>) => setDraft((before) => ({ ...before, ...part }))
  const wanted = brandingOf(draft)
  const isSame = JSON.stringify(wanted) === JSON.stringify(brandingOf(draftOf(current)))
  const change = useChange({
    run: ({ admin: calls }, next: NewBranding) => calls.branding.set(next, { ifMatch: etag }),
    stale: [keys.site],
    onDone: (saved) => {
      showAccent(saved.accent)
      toast({ message: strings.saved, tone: 'good' })
    },
  })
  const isOverrun = isWaymarkProblem(change.error) && change.error.status === 412
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const isSound = isSoundAccent(draft.accent) && draft.links.every(isSoundLink)
    setShowsFaults(!isSound)
    if (isSound) change.mutate(wanted)
  }
  return (
    <div className={styles.two}>
      <div className={own.column}>
        <form className={styles.form} onSubmit={submit}>
          <TextInput
            label={strings.name}
            description={strings.nameHint(current.defaultName)}
            placeholder={current.defaultName}
            maxLength={maxBrandNameLength}
            value={draft.name}
            onChange={(event) => put({ name: event.currentTarget.value })}
          />
          <AccentField accent={draft.accent} onChange={(accent) => put({ accent })} />
          <Textarea
            label={strings.footer}
            description={strings.footerHint}
            rows={3}
            maxLength={maxFooterTextLength}
            value={draft.text}
            onChange={(event) => put({ text: event.currentTarget.value })}
          />
          <FooterLinks rows={draft.links} showsFaults={showsFaults} onChange={(links) => put({ links })} />
          {change.error && (
            <ProblemNotice error={change.error}>
              {isOverrun && (
                <Button variant="default" onClick={onReload}>
                  {admin.loadAnew}
                </Button>
              )}
            </ProblemNotice>
          )}
          <div className={styles.bar}>
            <Button type="submit" disabled={isSame} loading={change.isPending}>
              {strings.save}
            </Button>
            <Button variant="default" onClick={() => setDraft(nothing)}>
              {strings.reset}
            </Button>
            {isSame && <span className={styles.hint}>{strings.unchanged}</span>}
          </div>
        </form>
        <BrandingPictures logo={current.logo} favicon={current.favicon} />
      </div>
      <BrandingPreview
        name={wanted.name ?? current.defaultName}
        accent={isSoundAccent(draft.accent) ? wanted.accent : null}
        logo={current.logo}
        logoRatio={branding.logoRatio}
      />
    </div>
  )
}

export function BrandingSection() {
  const [reading, setReading] = useState(0)
  const query = useToEdit<Read>([...keys.admin, 'branding'], async ({ send }) => {
    const { data, etag } = await send<Branding>('GET', '/v2/admin/branding')
    return { data, etag }
  })
  const reload = async (): Promise<void> => {
    await query.refetch()
    setReading((count) => count + 1)
  }
  return (
    <AdminFrame section="branding">
      <Loaded query={query}>
        {(read) => <BrandingForm key={reading} read={read} onReload={() => void reload()} />}
      </Loaded>
    </AdminFrame>
  )
}
