// The texts of the account's webhooks and privacy zones.
import { inLanguage } from './language.ts'

export const { accountPlaces } = await inLanguage({
  en: () => import('./en/account-places.ts'),
  de: () => import('./de/account-places.ts'),
})
