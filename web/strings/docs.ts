// The texts of the docs.
import { inLanguage } from './language.ts'

export const { docs, apiStrings } = await inLanguage({
  en: () => import('./en/docs.ts'),
  de: () => import('./de/docs.ts'),
})
