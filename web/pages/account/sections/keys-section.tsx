// API keys: made and shown once, replaced with an overlap, revoked.
import { Button } from '@mantine/core'
import { useState } from 'react'
import { account } from '../../../strings/account.ts'
import styles from '../account.module.css'
import { useSet, type ItemOf } from '../account-data.ts'
import { useDraft } from '../drafts.tsx'
import { MadeKey, NewKeyForm, type KeyShown } from '../key-forms.tsx'
import { RevokeKey, RotateKey } from '../key-dialogs.tsx'
import { MakingSection } from '../making-section.tsx'
import { Row, Rows, When } from '../parts.tsx'

const words = account.keys
type Key = ItemOf<'keys'>

function KeyRow({
  item,
  onAsk,
}: {
  readonly item: Key
  readonly onAsk?: (what: 'rotate' | 'revoke') => void
}) {
  const { prefix, name, createdAt, expiresAt, lastUsedAt, revokedAt, status } = item
  const endLabel = status === 'revoked' ? words.endedAt : words.replacedUntil
  return (
    <Row
      title={name}
      facts={[
        [words.begins, <code key="prefix">{prefix}</code>],
        [words.madeAt, <When key="made" at={createdAt} />],
        [words.lastUsed, lastUsedAt === null ? account.never : <When key="used" at={lastUsedAt} />],
        [words.endsAt, expiresAt === null ? account.never : <When key="ends" at={expiresAt} />],
        revokedAt !== null && [endLabel, <When key="ended" at={revokedAt} />],
      ]}
      actions={
        onAsk && (
          <>
            {revokedAt === null && (
              <Button
                variant="default"
                size="compact-sm"
                aria-label={`${words.rotate}: ${name}`}
                onClick={() => onAsk('rotate')}
              >
                {words.rotate}
              </Button>
            )}
            <Button
              variant="default"
              size="compact-sm"
              aria-label={`${words.revoke}: ${name}`}
              onClick={() => onAsk('revoke')}
            >
              {words.revoke}
            </Button>
          </>
        )
      }
    />
  )
}

export function KeysSection() {
  const made = useDraft<KeyShown | undefined>('keys', 'made', undefined)
  const [asked, setAsked] = useState<{ readonly what: 'rotate' | 'revoke'; readonly item: Key }>()
  const close = () => setAsked(undefined)
  return (
    <>
      <MakingSection
        name="keys"
        words={words}
        links={[['/docs', words.docs]]}
        query={useSet('keys')}
        made={made.value && <MadeKey made={made.value} onKept={made.drop} />}
        renderForm={(onClose) => <NewKeyForm onMade={made.set} onClose={onClose} />}
      >
        {(items) => {
          const live = items.filter(({ status }) => status === 'live')
          const ended = items.filter(({ status }) => status !== 'live').toReversed()
          return (
            <>
              <Rows label={account.sections.keys}>
                {live.map((item) => (
                  <KeyRow key={item.prefix} item={item} onAsk={(what) => setAsked({ what, item })} />
                ))}
              </Rows>
              {ended.length > 0 && (
                <details className={styles.fold}>
                  <summary>{words.ended(ended.length)}</summary>
                  <Rows label={words.ended(ended.length)}>
                    {ended.map((item) => (
                      <KeyRow key={item.prefix} item={item} />
                    ))}
                  </Rows>
                </details>
              )}
            </>
          )
        }}
      </MakingSection>
      {asked?.what === 'rotate' && <RotateKey item={asked.item} onMade={made.set} onClose={close} />}
      {asked?.what === 'revoke' && <RevokeKey item={asked.item} onClose={close} />}
    </>
  )
}
