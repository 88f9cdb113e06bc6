// The texts of the review desk on where and when a photo was taken.
import { inLanguage } from './language.ts'

export const { placeStrings } = await inLanguage({
  en: () => import('./en/review-place.ts'),
  de: () => import('./de/review-place.ts'),
})
