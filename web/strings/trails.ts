// The texts of the page of trails.
import { inLanguage } from './language.ts'

export const { trailStrings } = await inLanguage({
  en: () => import('./en/trails.ts'),
  de: () => import('./de/trails.ts'),
})
