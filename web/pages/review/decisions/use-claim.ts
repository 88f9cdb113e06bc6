// Claims the current photo, so that no two reviewers work on it: renewed while it is open, released when it is left.
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { Fetch } from '../../../../client/client.ts'
import { keys } from '../../../data/keys.ts'
import { useWaymark } from '../../../data/waymark.tsx'
import { currentReviewSession } from './review-session-store.ts'
import type { DeskItem } from './review-session.ts'

const minutes = 3
const renewEveryMs = 60_000
/** A reviewer who is only leafing through claims nothing. */
const settledAfterMs = 350

export type Claim =
  | { readonly by: 'nobody' }
  | { readonly by: 'me'; readonly until: string }
  /** Its holder, as reported by the queue. */
  | { readonly by: 'other'; readonly displayName: string | undefined; readonly until: string | undefined }

const nobody: Claim = { by: 'nobody' }

/** Sent even if the page is being closed. */
const lastWord: Fetch = (url, init) => fetch(url, { ...init, keepalive: true })

interface ClaimAsk {
  readonly item: DeskItem | undefined
  readonly accountId: number | undefined
}

export function useClaim({ item, accountId }: ClaimAsk) {
  const waymark = useWaymark()
  const queries = useQueryClient()
  const [held, setHeld] = useState<{ readonly imageId: number; readonly claim: Claim }>()
  const [taking, setTaking] = useState<number>()
  const imageId = item?.queue === undefined ? undefined : item.imageID
  const takesOver = imageId !== undefined && taking === imageId
  const inView = useRef<number>(undefined)

  useEffect(() => {
    if (imageId === undefined) return undefined
    inView.current = imageId
    let isLeft = false
    let isMine = false
    let isUnderWay = false

    async function claim({ takeOver = false } = {}): Promise<void> {
      if (imageId === undefined || document.visibilityState === 'hidden') return
      isUnderWay = true
      try {
        const { results } = await waymark.review.claim({ ids: [imageId], minutes, takeOver })
        const [result] = results
        if (!result) return
        isMine = 'claimedUntil' in result
        // Not cancelled when the photo is left: it may already be claimed by then, even after a decision ended the
        // claim.
        if (isLeft) {
          if (isMine && inView.current !== imageId) releaseClaim()
          return
        }
        if ('claimedUntil' in result) {
          setHeld({ imageId, claim: { by: 'me', until: result.claimedUntil } })
          return
        }
        const isClaimed = result.problem.type.endsWith('/claimed')
        const other: Claim = { by: 'other', displayName: undefined, until: undefined }
        setHeld({ imageId, claim: isClaimed ? other : nobody })
        if (isClaimed) await queries.invalidateQueries({ queryKey: [...keys.queue, 'desk'] })
      } catch {
        // Reviewers can work without a claim: of two decisions at the same time, the server accepts one.
      } finally {
        isUnderWay = false
      }
    }

    function release(sendWith?: Fetch): void {
      // Also while a claim is in progress: its response may come too late.
      if (imageId === undefined || !(isMine || isUnderWay) || currentReviewSession().settled.has(imageId))
        return
      releaseClaim(sendWith)
    }

    function releaseClaim(sendWith?: Fetch): void {
      isMine = false
      // Another reviewer may have taken it over since. If this fails, the claim expires by itself.
      const path = `/v2/review/claims/${imageId}?own=true`
      waymark.request<void>('DELETE', path, { sendWith, retries: 0 }).catch(() => undefined)
    }

    // Only once: if someone takes it over again, it is theirs.
    const first = setTimeout(() => void claim({ takeOver: takesOver }), takesOver ? 0 : settledAfterMs)
    const renewal = setInterval(() => void claim(), renewEveryMs)
    const onHide = () => release(lastWord)
    const onLook = () => void claim()
    window.addEventListener('pagehide', onHide)
    document.addEventListener('visibilitychange', onLook)
    return () => {
      isLeft = true
      inView.current = undefined
      clearTimeout(first)
      clearInterval(renewal)
      window.removeEventListener('pagehide', onHide)
      document.removeEventListener('visibilitychange', onLook)
      release()
      if (takesOver) setTaking(undefined)
    }
  }, [waymark, queries, imageId, takesOver])

  const stated = item?.queue?.claim
  const own = held && held.imageId === imageId ? held.claim : undefined
  const isOthers = stated !== undefined && stated !== null && stated.acctID !== accountId
  const claim: Claim =
    own?.by === 'me'
      ? own
      : isOthers
        ? { by: 'other', displayName: stated.displayName, until: stated.until }
        : (own ?? nobody)
  return { claim, takeOver: () => setTaking(imageId) }
}
