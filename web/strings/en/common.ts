// The words that every page uses.
import type { Tools } from '../language.ts'

export function catalogue({ plural }: Tools) {
  const common = {
    skip: 'Skip to content',
    undo: 'Undo',
    close: 'Close',
    cancel: 'Cancel',
    save: 'Save',
    delete: 'Delete',
    edit: 'Edit',
    retry: 'Try again',
    copy: 'Copy',
    copied: 'Copied',
    notCopied: 'Could not copy to the clipboard',
    showPassword: 'Show or hide password',
    search: 'Search',
    loading: 'Loading',
    signIn: 'Sign in',
    signOut: 'Sign out',
    signingOut: {
      title: 'Sign out and delete?',
      detail: ({ photos, routes }: { readonly photos: number; readonly routes: number }) =>
        [
          photos > 0 &&
            plural(photos, {
              one: '# photo is still waiting to upload.',
              other: '# photos are still waiting to upload.',
            }),
          routes > 0 &&
            plural(routes, { one: '# route has unsaved changes.', other: '# routes have unsaved changes.' }),
          'Sign out and delete them from this browser?',
        ]
          .filter(Boolean)
          .join(' '),
      go: 'Sign out and delete',
      failed: 'Could not sign out. Check the connection and try again.',
    },
    passkeyRequired:
      'Reviewers and admins sign in with a passkey on this site. Sign out and use yours, or add your first one:',
    addPasskey: 'Add a passkey',
    signUp: 'Create account',
    main: 'Main',
    menu: 'Menu',
    menuOf: (name: string) => `Menu for ${name}`,
    shortcuts: 'Keyboard shortcuts',
    everywhere: 'Everywhere',
    palette: 'Command palette',
    palettePlaceholder: 'Search pages, trails and actions',
    paletteNothing: 'No results.',
    goTo: (page: string) => `Go to ${page}`,
    pages: {
      trails: 'Trails',
      upload: 'Add photos',
      photos: 'My photos',
      review: 'Review',
      publicRoutes: 'Routes',
      routes: 'My routes',
      account: 'Account',
      admin: 'Admin',
      docs: 'Docs',
    },
    colours: 'Colours',
    colourNames: { light: 'Light', dark: 'Dark', auto: 'System' },
    language: 'Language',
    units: 'Units',
    unitNames: { miles: 'Miles and feet', kilometres: 'Kilometres and metres' },
    waiting: (count: number) => `${count} pending review`,
    trailSearch: {
      searching: 'Searching…',
      none: 'No trails found',
      offline: 'You are offline. Trails can be searched once you are back online.',
      count: (count: number) => plural(count, { one: '# trail found', other: '# trails found' }),
    },
    offline:
      'You are offline. This page may be out of date; your changes are saved and sent once you are back online.',
    problem: {
      unknown: 'Something went wrong',
      unknownDetail: 'Reload the page. If this keeps happening, tell the site administrator what you did.',
      unreachable: 'Could not reach the server',
      unreachableDetail: 'Check your connection and try again. Nothing was lost.',
      requestId: 'Request ID',
      copyRequestId: 'Copy request ID',
      notFound: 'Page not found',
      notFoundDetail: 'The address may be wrong, or the page may have been removed.',
      toStart: 'Back to trails',
    },
    signInAgain: {
      title: 'Your session has expired',
      detail: 'Sign in again in the window that opens. Your work is kept and continues automatically.',
      open: 'Sign in again',
      waiting: 'Waiting for you to sign in in the other window…',
      cancel: 'Not now',
    },
    signInFirst: 'Sign in to see this page',
    signInFirstDetail: 'This page belongs to your account.',
    staffOnly: 'This page is for reviewers and admins',
    adminOnly: 'This page is for admins',
    staffOnlyDetail: 'If you need access, ask the site administrator for the role.',
  }

  return { common }
}

export type CommonCatalogue = ReturnType<typeof catalogue>
