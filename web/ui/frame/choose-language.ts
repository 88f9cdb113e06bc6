// Chooses the language of this browser by a cookie, which the server reads, and stores it with the account for its mails.
import { isLanguage, languageCookie } from '../../../src/shared/languages.ts'
import { basePath } from '../../data/base.ts'
import { useViewer } from '../../data/site.ts'
import { useWaymark } from '../../data/waymark.tsx'

const yearSeconds = 31_536_000

export function useChooseLanguage(): (language: string) => Promise<void> {
  const waymark = useWaymark()
  const viewer = useViewer()
  return async (language) => {
    if (!isLanguage(language)) return
    const secure = location.protocol === 'https:' ? '; Secure' : ''
    const path = basePath === '' ? '/' : basePath
    document.cookie = `${languageCookie}=${language}; Path=${path}; Max-Age=${yearSeconds}; SameSite=Lax${secure}`
    // Where that fails, the pages change all the same; only mails stay in the language they had.
    if (viewer !== null) await waymark.me.change({ language }).catch(() => undefined)
    location.reload()
  }
}
