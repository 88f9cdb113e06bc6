// What the set-up page offers once, without scripts: which map lies below everything, and what that means for visitors.
import { mapPresets } from '../shared/map-presets.ts'
import { choices } from '../site/forms.ts'
import type { Html } from '../site/html.ts'
import type { Texts } from '../texts/texts.ts'

export interface MapOffer {
  /** Whether neither an admin nor a setting has decided. */
  readonly isOpen: () => Promise<boolean>
  /** @throws if it cannot be chosen now. */
  readonly choose: (
    accountId: number,
    choice: { readonly kind: 'none' | 'file' | 'style'; readonly url?: string },
  ) => Promise<unknown>
}

const kinds = ['none', 'file', 'style'] as const

export function mapField({ signIn: { map } }: Texts, chosen: string | undefined): Html {
  const provider = mapPresets[0]?.provider ?? ''
  return choices({
    kind: 'radio',
    name: 'map',
    label: map.label,
    hint: map.hint,
    values: [chosen ?? 'none'],
    options: [
      { value: 'none', label: map.none, hint: map.noneHint },
      { value: 'file', label: map.file, hint: map.fileHint },
      { value: 'style', label: map.online(provider), hint: map.onlineHint(provider) },
    ],
  })
}

/**
 * The account exists by now, whatever happens to the map.
 * @returns the page on which the admin continues: that of the map if something is left to do.
 */
export async function takeMapOffer(
  offer: MapOffer | undefined,
  accountId: number,
  wanted: string | undefined,
): Promise<'/' | '/admin/map'> {
  const kind = kinds.find((one) => one === wanted)
  if (!offer || kind === undefined) return '/'
  const url = kind === 'style' ? mapPresets[0]?.url : undefined
  const isChosen = await offer.choose(accountId, url === undefined ? { kind } : { kind, url }).then(
    () => true,
    () => false, // a file that is yet to be made, or a style that cannot be read: the page of the map says why
  )
  return isChosen ? '/' : '/admin/map'
}
