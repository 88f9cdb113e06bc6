// The texts of the admin page of how the site looks.
import { inLanguage } from './language.ts'

export const { branding } = await inLanguage({
  en: () => import('./en/branding.ts'),
  de: () => import('./de/branding.ts'),
})
