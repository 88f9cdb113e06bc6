// The texts of those admin pages that change things: trails, accounts, applications, terms and reasons.
import { inLanguage } from './language.ts'

export const { adminTrails, adminAccounts, adminClients, adminTerms, adminReasons } = await inLanguage({
  en: () => import('./en/admin-things.ts'),
  de: () => import('./de/admin-things.ts'),
})
