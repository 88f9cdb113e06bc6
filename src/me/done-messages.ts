// What the account page says was done: a closed list, since whatever stands in an address could be put there by anybody.

export const sectionNames = [
  'profile',
  'password',
  'passkeys',
  'sessions',
  'keys',
  'apps',
  'clients',
] as const
export type SectionName = (typeof sectionNames)[number]

export const doneMessages = {
  'name-changed': { section: 'profile', text: 'Your name is changed.' },
  'email-changed': { section: 'profile', text: 'Your e-mail address is changed.' },
  'email-confirm': {
    section: 'profile',
    text: 'A link is on its way to the new address. Open it to finish; until then the old one counts.',
  },
  'mails-on': { section: 'profile', text: 'Mails about photos come from now on.' },
  'mails-off': { section: 'profile', text: 'No more mails about photos come.' },
  'password-changed': {
    section: 'password',
    text: 'Your password is changed, and every other browser is signed out.',
  },
  'passkey-added': {
    section: 'passkeys',
    text: 'The passkey is added: you can sign in with it from now on.',
  },
  'passkey-removed': { section: 'passkeys', text: 'The passkey is removed.' },
  'session-ended': { section: 'sessions', text: 'That browser is signed out.' },
  'others-ended': { section: 'sessions', text: 'Every other browser is signed out.' },
  'key-revoked': { section: 'keys', text: 'The key is revoked: it opens nothing any more.' },
  'app-revoked': { section: 'apps', text: 'The application can no longer act in your name.' },
  'client-changed': { section: 'clients', text: 'The application is changed.' },
  'client-removed': { section: 'clients', text: 'The application is removed, with everything issued to it.' },
} as const satisfies Record<string, { readonly section: SectionName; readonly text: string }>

export type DoneCode = keyof typeof doneMessages

export function doneCodeIn(query: unknown): DoneCode | undefined {
  const { done } = query as { readonly done?: unknown }
  return typeof done === 'string' && Object.hasOwn(doneMessages, done) ? (done as DoneCode) : undefined
}
