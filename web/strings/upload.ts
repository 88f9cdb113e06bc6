// The texts of the page that sends photos, and of what happens to them on the way.
import { inLanguage } from './language.ts'

export const { uploadStrings } = await inLanguage({
  en: () => import('./en/upload.ts'),
  de: () => import('./de/upload.ts'),
})
