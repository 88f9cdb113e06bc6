// What an application may do, in the sentences in which the server asks for it.
import { scopeSentences as sentences } from '../../src/shared/scope-sentences.ts'
import { inLanguage } from './language.ts'

export const scopeSentences = await inLanguage({
  en: async () => ({ catalogue: () => sentences.en }),
  de: async () => ({ catalogue: () => sentences.de }),
})
