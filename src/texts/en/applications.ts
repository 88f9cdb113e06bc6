// The texts of the pages on which people allow applications and connect devices.
import { scopeSentences } from '../../shared/scope-sentences.ts'

export const applications = {
  scopes: scopeSentences.en,
  signIn: 'Sign in to continue to <application/>.',
  signInAgain: 'Sign in again to continue to <application/>.',
  willBeAble: 'It will be able to:',
  identity: 'See your name and your email address.',
  willNot: 'It also asks for access that your account does not have, and will not get it:',
  allowTitle: (name: string) => `Allow ${name}?`,
  asks: '<application/>, by <publisher/>, wants to access your account, <account/>.',
  goBack:
    'Then you return to <place/>. It never sees your password, and you can revoke its access at any time under <link>your account</link>.',
  yourDevice: 'your device',
  allow: 'Allow',
  deny: 'Deny',
  device: {
    title: 'Connect a device',
    lead: 'Enter the code that your device or terminal shows.',
    code: 'Code',
    codeHint: 'Eight letters, such as BCDF-GHJK.',
    continue: 'Continue',
    expiredForm: 'The form has expired, or your browser does not accept cookies.',
    startAgain: 'Start again',
    problems: {
      NoCodeError: 'Enter the code that your device shows.',
      NotFoundError: 'This code does not exist. Check it on your device and enter it again.',
      ExpiredError: 'The code has expired. Get a new one on your device.',
      AlreadyUsedError: 'The code has already been used. Get a new one on your device.',
      AbortedError: 'You denied access: the device is not connected.',
    },
    isYours: 'Is this your device?',
    wants: '<application/> wants to connect to your account from a device that shows this code:',
    beware:
      'Continue only if you see exactly this code on a device of your own. Anyone who sent you a code by email or chat is trying to get into your account.',
    mine: 'Yes, this is my device',
    notMine: 'No, deny access',
    connected: 'Your device is connected',
    connectedLead: 'Return to it; it continues automatically. You can close this page.',
    disconnect: 'You can disconnect it at any time under <link>your account</link>.',
  },
  error: {
    title: 'Something went wrong',
    ours: 'This could not be done right now. Please try again later.',
    theirs: 'The application that sent you here made an invalid request.',
    failed: 'Its request failed.',
    error: 'Error',
    reason: 'Reason',
    reasons: {
      login_required: 'You are not signed in here.',
      consent_required: 'You have not allowed the application this access.',
      interaction_required: 'We would have to ask you first, and the application did not allow that.',
    },
  },
  held: {
    title: (site: string) => `You are still on ${site}`,
    lead: 'The application <application/>, registered by <publisher/>, tried to send you to <host/>.',
    why: 'You have not allowed this application any access, and no admin of this site has approved it, so you are not forwarded.',
    advice:
      'If you know the application, go back to it and start again. If a link from somebody else brought you here, close this page.',
  },
}
