// What the admins put at the foot of every page; nothing where they put nothing, or where a page fills the window by itself.
import { useRouterState } from '@tanstack/react-router'
import { href } from '../../data/base.ts'
import { useSite } from '../../data/site.ts'
import { common } from '../../strings/common.ts'
import styles from './frame.module.css'

/** The review desk and the editor of routes. */
const fillsWindow = /^\/(?:review|routes\/(?:new$|[^/]+\/edit$))/

export function SiteFooter() {
  const { text, links } = useSite().branding.footer
  const path = useRouterState({ select: ({ location }) => location.pathname })
  if ((text === '' && links.length === 0) || fillsWindow.test(path)) return null
  return (
    <footer className={styles.footer}>
      {text !== '' && <p>{text}</p>}
      {links.length > 0 && (
        <nav aria-label={common.footer}>
          {links.map(({ label, url }) => (
            <a key={`${label} ${url}`} href={url.startsWith('/') ? href(url) : url}>
              {label}
            </a>
          ))}
        </nav>
      )}
    </footer>
  )
}
