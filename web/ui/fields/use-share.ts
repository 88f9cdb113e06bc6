// Passes an address on: a phone offers its own ways to send a link, elsewhere it is copied.
import { common } from '../../strings/common.ts'
import { useToast } from '../notices/toasts.tsx'
import { copyText } from './copy-text.ts'

/** Asked when somebody shares, not while the page is drawn: a server knows neither. */
const hasShareSheet = (): boolean => 'share' in navigator && matchMedia('(pointer: coarse)').matches

export function useShare() {
  const toast = useToast()
  return async ({ url, title }: { readonly url: string; readonly title: string }): Promise<void> => {
    if (hasShareSheet()) {
      await navigator.share({ url, title }).catch(() => undefined)
      return
    }
    const isCopied = await copyText(url)
    toast(isCopied ? { message: common.copied, tone: 'good' } : { message: common.notCopied, tone: 'bad' })
  }
}
