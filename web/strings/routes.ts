// The texts of My routes and of a route's page.
import { inLanguage } from './language.ts'

export const { routeStrings } = await inLanguage({
  en: () => import('./en/routes.ts'),
  de: () => import('./de/routes.ts'),
})
