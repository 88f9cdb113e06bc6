// The texts of the page of one's own photos.
import { inLanguage } from './language.ts'

export const { photoStrings } = await inLanguage({
  en: () => import('./en/photos.ts'),
  de: () => import('./de/photos.ts'),
})
