// API keys: created and shown once, rotated with an overlap, revoked.
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

const strings = account.keys
type Key = ItemOf<'keys'>

function KeyRow({
  item,
  onAsk,
}: {
  readonly item: Key
  readonly onAsk?: (what: 'rotate' | 'revoke') => void
}) {
  const { prefix, name, createdAt, expiresAt, lastUsedAt, revokedAt, status } = item
  const endLabel = status === 'revoked' ? strings.endedAt : strings.replacedUntil
  return (
    <Row
      title={name}
      facts={[
        [strings.begins, <code key="prefix">{prefix}</code>],
        [strings.madeAt, <When key="made" at={createdAt} />],
        [strings.lastUsed, lastUsedAt === null ? account.never : <When key="used" at={lastUsedAt} />],
        [strings.endsAt, expiresAt === null ? account.never : <When key="ends" at={expiresAt} />],
        revokedAt !== null && [endLabel, <When key="ended" at={revokedAt} />],
      ]}
      actions={
        onAsk && (
          <>
            {revokedAt === null && (
              <Button
                variant="default"
                size="compact-sm"
                aria-label={`${strings.rotate}: ${name}`}
                onClick={() => onAsk('rotate')}
              >
                {strings.rotate}
              </Button>
            )}
            <Button
              variant="default"
              size="compact-sm"
              aria-label={`${strings.revoke}: ${name}`}
              onClick={() => onAsk('revoke')}
            >
              {strings.revoke}
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
        strings={strings}
        links={[['/docs', strings.docs]]}
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
                  <summary>{strings.ended(ended.length)}</summary>
                  <Rows label={strings.ended(ended.length)}>
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
