// The texts of the list of public routes.
import { inLanguage } from './language.ts'

export const { publicRouteStrings } = await inLanguage({
  en: () => import('./en/public-routes.ts'),
  de: () => import('./de/public-routes.ts'),
})
