// Modules that exist while the app is built only (web/build).
declare module 'virtual:palette.css'
declare module 'virtual:guides' {
  type Info = import('./pages/docs/guide-list.ts').GuideInfo
  type Block = import('./pages/docs/guide-list.ts').GuideBlock

  /** In the order of the list. */
  export const guides: readonly Info[]
  export const load: Readonly<
    Record<string, () => Promise<{ readonly guide: Info & { readonly blocks: readonly Block[] } }>>
  >
}
