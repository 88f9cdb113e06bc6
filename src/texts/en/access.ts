// Why somebody may not do something, and what is wrong with a passkey, in a sentence: details of refusals.

export const access = {
  takes: {
    session: 'This requires a browser session.',
    token: 'This takes an access token.',
    keyOrToken: 'This takes an API key or an access token.',
  },
  noToken: 'The Authorization header contains no access token.',
  tokenExpired: 'The access token has expired.',
  tokenUnknown: 'The access token is not known here.',
  scope: (scope: string) => `This needs the scope ${scope}, which the token was not granted.`,
  onlySession: 'This requires a browser session; access tokens are not accepted.',
  changeImage: 'Only the submitter and staff may change an image.',
  deleteImage: 'Only the submitter and staff may delete or restore an image.',
  imageHistory: 'Only the submitter and staff may read the history of an image.',
  changeTrails: 'Only admins may change trails.',
  review: 'Only reviewers and admins may review.',
  otherTrails: 'You are not a reviewer of this trail.',
  originals: 'The originals of other people require a browser session or a client of the account itself.',
  zones: 'Privacy zones require a browser session or a client of the account itself.',
  webhooks: 'Managing webhooks requires a browser session or a client of the account itself.',
  keys: 'Managing API keys requires a browser session or a client of the account itself.',
  onlyAdmins: 'Only admins may do this.',
  ownRoutes: 'Routes are private to their account, and this is another one.',
  originalRoute: 'Only the owner of a route may download its original GPX.',
  hiddenRoute:
    'An access token is required, unless the route is public or the request has its complete link.',
  ownAccount: 'Admins delete their own account with DELETE /v2/me.',
  passkey: {
    tooLate: 'The passkey request has expired or was already used. Try again.',
    unknown: 'No account here has this passkey; it may have been removed.',
    copied:
      'The passkey may have been copied: its use counter went backwards. Sign in another way and remove it.',
    known: 'This passkey has already been added.',
    mismatch: 'The passkey response does not match what this site requested.',
  },
}
