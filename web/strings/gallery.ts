// The texts of a trail's gallery, of one photo in it, and of what can be done with both.
import { inLanguage } from './language.ts'

export const { galleryStrings } = await inLanguage({
  en: () => import('./en/gallery.ts'),
  de: () => import('./de/gallery.ts'),
})
