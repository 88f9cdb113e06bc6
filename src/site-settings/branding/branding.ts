// How the site looks, as admins see and choose it.
import type { auditActorOf } from '../../auth/guard.ts'
import type { Db, Tx } from '../../database/database.ts'
import type { Branding, NewBranding } from '../../shared/v2/branding-schemas.ts'
import { writeTimestamp } from '../../shared/v2/timestamps.ts'
import { saveChoice } from '../site-settings.ts'
import { deleteOtherBrandFiles, insertBrandFiles, type DrawnMark } from './brand-file-table.ts'
import { readChosen, requireSound, tidied, type Chosen, type ReadChosen } from './chosen.ts'
import { pathOf } from './live-brand.ts'

export type PictureName = 'logo' | 'favicon'

/** Throws where the client's conditions on the present look do not hold. */
export type BrandingPrecondition = (current: Branding) => void

/** `marks`: null for Waymark's own. */
export interface WantedPicture {
  readonly name: PictureName
  readonly marks: readonly DrawnMark[] | null
}

type Actor = ReturnType<typeof auditActorOf>

export interface BrandingDependencies {
  readonly db: Db
  readonly now: () => number
  readonly publicUrl: string
  /** The setting SITE_NAME. */
  readonly siteName: string
  /** Updates this node's copy before the request is answered. */
  readonly onSaved: () => Promise<unknown>
}

export function createBranding({ db, now, publicUrl, siteName, onSaved }: BrandingDependencies) {
  const addressOf = (hash: string | undefined): string | null =>
    hash === undefined ? null : publicUrl + pathOf(hash)

  function present({ chosen, changedAt }: ReadChosen): Branding {
    const { name, accent, footer, logo, favicon } = chosen
    return {
      name,
      accent,
      footer,
      defaultName: siteName,
      logo: addressOf(logo?.logo?.hash),
      favicon: addressOf(favicon?.icons[0]?.hash),
      changedAt: changedAt === null ? null : writeTimestamp(changedAt),
    }
  }

  async function save(tx: Tx, by: Actor, chosen: Chosen): Promise<Branding> {
    const at = now()
    await saveChoice(tx, 'branding', chosen, { by, at })
    await deleteOtherBrandFiles(tx, chosen)
    return present({ chosen, changedAt: at })
  }

  async function known(saving: Promise<Branding>): Promise<Branding> {
    const saved = await saving
    await onSaved()
    return saved
  }

  return {
    read: async (): Promise<Branding> => present(await readChosen(db)),

    /** Choosing the present values changes nothing. @throws refusals `invalid-field`, `read-only`, and what `precondition` throws. */
    choose: async (by: Actor, wanted: NewBranding, precondition: BrandingPrecondition): Promise<Branding> => {
      requireSound(wanted)
      const tidy = tidied(wanted)
      return known(
        db.transaction().execute(async (tx) => {
          const current = await readChosen(tx)
          precondition(present(current))
          const next: Chosen = { ...current.chosen, ...tidy }
          if (JSON.stringify(next) === JSON.stringify(current.chosen)) return present(current)
          return save(tx, by, next)
        }),
      )
    },

    /** @throws refusal `read-only`, and what `precondition` throws. */
    setPicture: (
      by: Actor,
      { name, marks }: WantedPicture,
      precondition: BrandingPrecondition,
    ): Promise<Branding> =>
      known(
        db.transaction().execute(async (tx) => {
          const current = await readChosen(tx)
          precondition(present(current))
          const kind = name === 'favicon' ? 'icon' : undefined
          const wanted = marks?.filter((mark) => kind === undefined || mark.kind === kind)
          const pictures = wanted === undefined ? null : await insertBrandFiles(tx, wanted)
          const next: Chosen = { ...current.chosen, [name]: pictures }
          if (JSON.stringify(next) === JSON.stringify(current.chosen)) return present(current)
          return save(tx, by, next)
        }),
      ),
  }
}

export type BrandingService = ReturnType<typeof createBranding>
