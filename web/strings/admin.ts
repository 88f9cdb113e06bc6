// The texts of the admin pages.
import { inLanguage } from './language.ts'

export const { admin, adminUnclaimed } = await inLanguage({
  en: () => import('./en/admin.ts'),
  de: () => import('./de/admin.ts'),
})
