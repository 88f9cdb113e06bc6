// One guide: its text, code to copy, and its table of contents.
import { useSuspenseQuery } from '@tanstack/react-query'
import { Link, useNavigate, useRouterState } from '@tanstack/react-router'
import { load } from 'virtual:guides'
import { useEffect, useRef } from 'react'
import { basePath } from '../../data/base.ts'
import { docs } from '../../strings/docs.ts'
import { Page } from '../../ui/page.tsx'
import { CodeBlock } from './code-block.tsx'
import { CodeTabs } from './code-tabs.tsx'
import { titleOf } from './docs-frame.tsx'
import styles from './docs.module.css'
import { guideNames, type GuideBlock, type Heading } from './guide-list.ts'

/** URLs in docs/ do not know the base path of the server. */
const mounted = (html: string): string => html.replaceAll('href="/', `href="${basePath}/`)

function Block({ block }: { readonly block: GuideBlock }) {
  switch (block.kind) {
    case 'html':
      // Generated from our own docs/ by the build.
      return <div dangerouslySetInnerHTML={{ __html: mounted(block.html) }} />
    case 'code':
      return <CodeBlock text={block.text} />
    case 'tabs':
      return <CodeTabs samples={block.samples} />
  }
}

function Contents({ headings }: { readonly headings: readonly Heading[] }) {
  if (headings.length < 2) return null
  return (
    <nav className={styles.toc} aria-label={docs.onThisPage}>
      <h2>{docs.onThisPage}</h2>
      <ul>
        {headings.map(({ id, text, depth }) => (
          <li key={id} data-depth={depth}>
            <a href={`#${id}`}>{text}</a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

/** Links between guides navigate within the app, unless a new window or tab is requested. */
function useGuideLinks() {
  const navigate = useNavigate()
  const text = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const follow = (event: MouseEvent) => {
      const isElsewhere = event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0
      const link = event.target instanceof Element ? event.target.closest('a') : null
      const address = link?.getAttribute('href')?.slice(basePath.length) ?? ''
      const [, guide, hash] = /^\/docs\/([\w-]+)(?:#(.*))?$/.exec(address) ?? []
      if (event.defaultPrevented || isElsewhere || guide === undefined) return
      event.preventDefault()
      const part = hash === undefined ? {} : { hash: decodeURIComponent(hash) }
      void navigate({ to: '/docs/$guide', params: { guide }, ...part })
    }
    const place = text.current
    place?.addEventListener('click', follow)
    return () => place?.removeEventListener('click', follow)
  }, [navigate])
  return text
}

/** The text loads after the router has looked for the heading in the URL. */
function useHashScroll(): void {
  const hash = useRouterState({ select: ({ location }) => location.hash })
  useEffect(() => {
    if (hash !== '') document.querySelector(`#${CSS.escape(hash)}`)?.scrollIntoView()
  }, [hash])
}

function Neighbours({ name }: { readonly name: string }) {
  const at = guideNames.indexOf(name)
  const [previous, next] = [guideNames[at - 1], guideNames[at + 1]]
  return (
    <nav className={styles.around} aria-label={docs.guides}>
      {previous === undefined ? (
        <span />
      ) : (
        <Link
          to="/docs/$guide"
          params={{ guide: previous }}
          aria-label={`${docs.previous}: ${titleOf(previous)}`}
        >
          ← {titleOf(previous)}
        </Link>
      )}
      {next !== undefined && (
        <Link to="/docs/$guide" params={{ guide: next }} aria-label={`${docs.next}: ${titleOf(next)}`}>
          {titleOf(next)} →
        </Link>
      )}
    </nav>
  )
}

export function GuidePage({ name }: { readonly name: string }) {
  const { data: guide } = useSuspenseQuery({
    queryKey: ['guide', name],
    queryFn: async () => (await load[name]?.())?.guide ?? null,
    staleTime: Infinity,
  })
  const text = useGuideLinks()
  useHashScroll()
  if (guide === null) return null
  return (
    <Page title={guide.title}>
      <div className={styles.withToc}>
        <div className={styles.text} ref={text}>
          {Object.entries(guide.blocks).map(([at, block]) => (
            <Block key={at} block={block} />
          ))}
          <Neighbours name={name} />
        </div>
        <Contents headings={guide.headings} />
      </div>
    </Page>
  )
}
