// The docs: guides and the API reference, readable by everyone.
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { guides } from 'virtual:guides'
import { lazy, Suspense } from 'react'
import { docs } from '../../strings/docs.ts'
import { common } from '../../strings/common.ts'
import { Page } from '../../ui/page.tsx'
import { PagePending } from '../../ui/notices/route-states.tsx'
import { useShortcuts } from '../../ui/keys/shortcuts.tsx'
import { DocsFrame } from './docs-frame.tsx'
import { DocsHome } from './docs-home.tsx'
import styles from './docs.module.css'
import { guideNames } from './guide-list.ts'
import { GuidePage } from './guide-page.tsx'

const ApiPage = lazy(async () => ({ default: (await import('./api/api-page.tsx')).ApiPage }))

function MissingGuide() {
  return (
    <Page title={docs.missing} lead={docs.missingDetail}>
      <ul className={styles.found}>
        {guides.map(({ name, title }) => (
          <li key={name}>
            <Link to="/docs/$guide" params={{ guide: name }}>
              {title}
            </Link>
          </li>
        ))}
      </ul>
    </Page>
  )
}

/** Keys for the next and previous guide, in list order. */
function useDocsKeys(guide: string | undefined): void {
  const navigate = useNavigate()
  const at = guide === undefined ? -1 : guideNames.indexOf(guide)
  const go = (to: number) => {
    const next = guideNames[(to + guideNames.length) % guideNames.length] ?? ''
    void navigate({ to: '/docs/$guide', params: { guide: next } })
  }
  useShortcuts(docs.keys, [
    { keys: ']', label: docs.next, run: () => go(at + 1) },
    { keys: '[', label: docs.previous, run: () => go(at < 0 ? guideNames.length - 1 : at - 1) },
    {
      keys: 'r',
      label: common.goTo(docs.api),
      run: () => void navigate({ to: '/docs/$guide', params: { guide: 'api' } }),
    },
  ])
}

function Part({ guide }: { readonly guide: string | undefined }) {
  if (guide === undefined) return <DocsHome />
  if (guide === 'api') return <ApiPage />
  return guideNames.includes(guide) ? <GuidePage key={guide} name={guide} /> : <MissingGuide />
}

export function DocsPage() {
  const { guide } = useParams({ strict: false })
  useDocsKeys(guide)
  return (
    <DocsFrame>
      <Suspense fallback={<PagePending />}>
        <Part guide={guide} />
      </Suspense>
    </DocsFrame>
  )
}
