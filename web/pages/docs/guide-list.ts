// The guides of docs/ that are pages of the app, in display order; also used by the build.
export const guideGroups = [
  { title: 'Get started', guides: ['quick-start', 'walkthrough', 'upload', 'applications', 'sdk', 'cli'] },
  {
    title: 'Features',
    guides: ['trails', 'images', 'review', 'routes', 'maps', 'events', 'webhooks'],
  },
  { title: 'API', guides: ['interface'] },
  {
    title: 'Operations',
    guides: [
      'install',
      'moving-in',
      'operations',
      'scaling',
      'settings',
      'base-map',
      'accounts',
      'external-accounts',
      'backup',
      'metrics',
      'leaving',
      'demo',
      'supply-chain',
    ],
  },
] as const

/** Pages of docs/ for developers of Waymark: they are read in the repository. */
export const forDevelopers: readonly string[] = ['README', 'benchmarks', 'glossary', 'identity']

export const guideNames: readonly string[] = guideGroups.flatMap(({ guides }) => guides)

export interface Heading {
  readonly depth: number
  readonly id: string
  readonly text: string
}

export interface CodeSample {
  readonly label: string
  readonly text: string
}

/** A guide consists of blocks: text, and code to copy, in tabs if needed. */
export type GuideBlock =
  | { readonly kind: 'html'; readonly html: string }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'tabs'; readonly samples: readonly CodeSample[] }

export interface GuideInfo {
  readonly name: string
  readonly title: string
  readonly headings: readonly Heading[]
}
