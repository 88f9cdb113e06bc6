// The words that every page uses.
import { inLanguage } from './language.ts'

export const { common } = await inLanguage({
  en: () => import('./en/common.ts'),
  de: () => import('./de/common.ts'),
})
