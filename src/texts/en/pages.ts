// The texts around every page of the server, and of those that say what the server is and what its problems mean.

export const frame = {
  skip: 'Skip to content',
  signOut: 'Sign out',
  /** What screen readers say of the links at the foot. */
  footer: 'More about this site',
  foot: (site: string) => `${site}: trail photos and hiking routes.`,
  yourAccount: 'Your account',
}

export const documents = {
  lead: 'Trail photos, reviewed and served in the sizes that pages need.',
  account: {
    card: 'What you can do with your account on a server without the web app.',
    lead: 'This server runs without the web app, which has the pages for this.',
    api: 'Your profile, keys, sessions and applications are under <me>/v2/me</me> in <api>the API</api>; the administrator can change them with <command>waymark accounts</command>. These pages work here:',
  },
  device: { title: 'Connect a device', card: 'Enter the code that a device or terminal shows.' },
  api: { title: 'API', card: 'Every endpoint of this server, as OpenAPI.' },
  health: { title: 'Health', card: 'Is the server ready?' },
  problems: {
    title: 'Problems',
    card: 'What each error means, and how to fix it.',
    lead: 'The errors that a request can cause.',
    all: 'All problems',
    status: 'Status',
    code: 'Code',
    titleAndCode: 'Title and code',
  },
  request: 'Request ID',
  toStart: 'Go to the start page',
  noPage: 'There is no page at this address. It may be mistyped, or the page may have been removed.',
}
