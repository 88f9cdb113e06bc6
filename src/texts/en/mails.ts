// The texts of every mail: a subject, and paragraphs in which a link stands on a line of its own.
import type { Tools } from '../../shared/text/plurals.ts'

const ignore = 'If this was not you, ignore this email.'

export const signInMails = {
  signUp: (link: string) => ({
    subject: 'Finish creating your account',
    text: [
      'Someone, probably you, wants to create an account with this email address. To choose a name and a password, open this link within a day:',
      link,
      `${ignore} No account is created unless the link is opened.`,
    ],
  }),
  knownAddress: (signInLink: string, resetLink: string | undefined) => ({
    subject: 'You already have an account',
    text: [
      'Someone, probably you, tried to create an account with this email address. You already have one. Sign in here:',
      signInLink,
      ...(resetLink === undefined
        ? []
        : ['If you forgot your password, use this link within an hour to choose a new one:', resetLink]),
      `${ignore} Nothing has changed.`,
    ],
  }),
  invitation: (link: string) => ({
    subject: 'You are invited to create an account',
    text: [
      'To choose a name and a password, open this link within seven days:',
      link,
      'If you do not expect this invitation, ignore this email.',
    ],
  }),
  reset: (link: string) => ({
    subject: 'Choose a new password',
    text: [
      'Someone, probably you, asked for a new password. To choose one, open this link within an hour:',
      link,
      `${ignore} Your password has not changed.`,
    ],
  }),
  claim: (link: string, resetPage: string) => ({
    subject: 'Your photos and your account have moved here',
    text: [
      'Your account and your photos on another site have been moved to this one. To claim it, choose a password by opening this link within an hour:',
      link,
      `If the link has expired, request another one for this email address: ${resetPage}`,
      'If you do not know this site, ignore this email.',
    ],
  }),
  confirmEmail: (link: string) => ({
    subject: 'Confirm your email address',
    text: [
      'To use this address for your account, open this link within a day:',
      link,
      'If you do not have such an account, ignore this email.',
    ],
  }),
  emailChanged: {
    subject: 'The email address of your account has changed',
    text: [
      'Your account now has another email address. You can no longer sign in with this one.',
      'If this was not you, contact the site administrator at once.',
    ],
  },
  passwordChanged: {
    subject: 'Your password has changed',
    text: [
      'Your password was changed, and every other browser is signed out. After a reset, you also have to allow applications again.',
      'If this was not you, ask for a new password at once.',
    ],
  },
  passkeyAdded: (name: string, link: string) => ({
    subject: 'A passkey was added to your account',
    text: [
      `The passkey "${name}" was added to your account. It can now be used to sign in.`,
      'If this was not you, remove it here and choose a new password:',
      link,
    ],
  }),
  accountDeleted: (deleted: {
    readonly photosDeleted: number
    readonly photosKept: number
    readonly routesDeleted: number
  }) => ({
    subject: 'Your account has been deleted',
    text: [
      'Your account has been deleted, together with your sign-in, keys, applications, webhooks, privacy zones and this email address.',
      `Photos deleted: ${deleted.photosDeleted}. Photos that stay published, credited to a former member: ${deleted.photosKept}. Routes deleted: ${deleted.routesDeleted}.`,
      'Backups made earlier still contain your data until the site administrator discards them.',
      'You can create a new account with this address. If you did not ask for this, contact the site administrator at once.',
    ],
  }),
}

export const decisionMails = ({ plural }: Tools) => ({
  untitled: 'A photo without a title',
  quoted: (title: string) => `"${title}"`,
  approved: 'published',
  rejected: (reason: string | undefined) => (reason === undefined ? 'rejected' : `rejected: ${reason}`),
  subjectApproved: 'Your photo was published',
  subjectRejected: 'Your photo was rejected',
  subjectMany: (count: number) =>
    plural(count, { one: '# of your photos was reviewed', other: '# of your photos were reviewed' }),
  lead: (count: number) =>
    plural(count, { one: 'Your photo was reviewed:', other: 'Your photos were reviewed:' }),
  more: (count: number) => plural(count, { one: 'And # more.', other: 'And # more.' }),
  waiting: (count: number) =>
    plural(count, { one: '# photo is pending review', other: '# photos are pending review' }),
  unsubscribe: (link: string) =>
    `You are receiving this email because email notifications are turned on for your account. You can turn them off here:\n${link}`,
})
