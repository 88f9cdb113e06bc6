// The texts of the pages to sign in, to create an account and to set a password.

export const signIn = {
  title: 'Sign in',
  signIn: 'Sign in',
  email: 'Email address',
  password: 'Password',
  newPassword: 'New password',
  passwordHint:
    'At least 8 characters. A passphrase of several words is stronger than one word with symbols.',
  name: 'Name',
  nameHint: 'Shown next to your photos.',
  forgot: 'Forgot your password?',
  or: 'Or without a password:',
  passkey: 'Sign in with a passkey',
  passkeyFailed: {
    unused: 'No passkey was used. Try again, or sign in another way.',
    elsewhere: 'Passkeys are not available at this address. Open the site at its main address.',
    unreachable: 'The site could not be reached. Try again.',
    unexpected: 'The site sent an unexpected response. Try again.',
  },
  noAccount: 'No account yet? <link>Create one</link>',
  hasAccount: 'Already have an account? <link>Sign in</link>',
  signedOut: {
    title: 'Signed out',
    notice: 'You are signed out in this browser.',
    drafts:
      'Photos and routes that have not been sent yet stay in this browser, visible to your account only. To delete them, sign in again and sign out from the menu of the web app.',
    again: 'Sign in again',
  },
  createAccount: 'Create account',
  sendLink: 'Send link',
  signUp: {
    lead: 'We will send you a link. Open it to choose a name and a password.',
    leadUnproved: 'With an account you can upload photos and save routes.',
    sent: 'We have sent you an email.',
    sentLead: 'Open the link in it to choose a name and a password. It works once, within a day.',
  },
  checkEmail: 'Check your email',
  join: {
    'set-up': {
      title: 'Set up this site',
      lead: 'Create the first account. It is an admin account: it can appoint reviewers and other admins, and approve applications.',
    },
    invitation: { title: 'Welcome', lead: 'You have been invited. Choose a name and a password.' },
    'sign-up': { title: 'Welcome', lead: 'Your address is confirmed. Choose a name and a password.' },
  },
  map: {
    label: 'Map',
    hint: 'The base map below photos and trails. You can change it at any time under Admin → Map.',
    none: 'No map',
    noneHint: 'Only country outlines. Nobody else learns what visitors look at.',
    file: 'A map file on this server',
    fileHint: 'Create it afterwards with “waymark map extract”. Nobody else learns what visitors look at.',
    online: (provider: string) => `An online map of ${provider}`,
    onlineHint: (provider: string) =>
      `Each visitor’s browser loads the map from ${provider}, which learns their IP address and the places they look at.`,
  },
  reset: {
    title: 'Reset password',
    lead: 'We will send you a link to choose a new password.',
    noMail: 'This site cannot send email. Ask the site administrator for a link to choose a new password.',
    noMailCommand: 'Administrators create one with <command>waymark accounts reset-link</command>.',
    sent: 'If there is an account with this address, we have sent an email to it.',
    sentLead: 'Open the link in it to choose a new password. It works once, within an hour.',
    choose: 'Choose a new password',
    chooseLead: 'Every browser that is signed in with the old password will be signed out.',
    set: 'Set password',
  },
  confirm: {
    title: 'Confirm your address',
    lead: 'Use <email/> for your account?',
    confirm: 'Confirm address',
    doneTitle: 'Address confirmed',
    done: 'Your account now uses this address.',
  },
}
