// The texts of the review desk.
import { inLanguage } from './language.ts'

export const { reviewStrings } = await inLanguage({
  en: () => import('./en/review.ts'),
  de: () => import('./de/review.ts'),
})
