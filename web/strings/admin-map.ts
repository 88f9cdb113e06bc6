// The texts of the admin page of the map.
import { inLanguage } from './language.ts'

export const { adminMap } = await inLanguage({
  en: () => import('./en/admin-map.ts'),
  de: () => import('./de/admin-map.ts'),
})
