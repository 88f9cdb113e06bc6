// The texts of the account pages.
import { inLanguage } from './language.ts'

export const { account } = await inLanguage({
  en: () => import('./en/account.ts'),
  de: () => import('./de/account.ts'),
})
