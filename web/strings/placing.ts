// The texts of placing photos that have no location: from a track, along a trail, by the device.
import { inLanguage } from './language.ts'

export const { placingStrings } = await inLanguage({
  en: () => import('./en/placing.ts'),
  de: () => import('./de/placing.ts'),
})
