// The words on and around every map.
import { inLanguage } from './language.ts'

export const { mapStrings } = await inLanguage({
  en: () => import('./en/map.ts'),
  de: () => import('./de/map.ts'),
})
