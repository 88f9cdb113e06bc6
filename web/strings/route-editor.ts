// The texts of the route editor.
import { inLanguage } from './language.ts'

export const { editorStrings } = await inLanguage({
  en: () => import('./en/route-editor.ts'),
  de: () => import('./de/route-editor.ts'),
})
