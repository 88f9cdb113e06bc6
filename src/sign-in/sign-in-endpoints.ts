// The pages /sign-in and /sign-out.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { KnownDevices } from '../auth/known-devices.ts'
import type { Passkeys } from '../auth/passkeys/passkeys.ts'
import type { Sessions } from '../auth/sessions.ts'
import { refusals, type Refusal } from '../errors.ts'
import { readForm } from '../http/bodies/form-body.ts'
import { addressBucket, type RateLimits } from '../http/rates/rate-limits.ts'
import { hidden, notice } from '../site/forms.ts'
import { html, rich, type Html } from '../site/html.ts'
import type { Site } from '../site/site.ts'
import {
  browserOf,
  deviceAccess,
  pageAccess,
  passkeyOffer,
  passkeyScripts,
  personOf,
  problemNotice,
  redirectSignedIn,
  safeNext,
  signInForm,
  signInRefusal,
  textsFor,
  viewerOf,
} from './page-parts.ts'
import type { SignIn } from './sign-in.ts'

export interface SignInEndpointsDependencies {
  readonly site: Site
  readonly signIn: SignIn
  readonly sessions: Sessions
  readonly devices: KnownDevices
  readonly spend: RateLimits['spend']
  readonly passkeys: Passkeys
  /** Whether the page offers to make an account. */
  readonly isSignUpOpen: boolean
}

/**
 * What a browser forgets with the session: stored answers, and pages that its button back would show. Not `"cookies"`, which
 * empties every host of the domain, and not `"storage"`, in which others may have photos that wait to be sent (decision 0093).
 */
const clearSiteData = '"cache"'

export function registerSignInEndpoints(
  app: FastifyInstance,
  { site, signIn, sessions, devices, spend, passkeys, isSignUpOpen }: SignInEndpointsDependencies,
): void {
  const access = deviceAccess({ devices, spend })
  const signUpLink = (text: string): Html => html`<a href="${site.href('/sign-up')}">${text}</a>`

  function sendForm(
    request: FastifyRequest,
    reply: FastifyReply,
    options: { next: string; email?: string | undefined; refusal?: Refusal },
  ): FastifyReply {
    const { next, email, refusal } = options
    const texts = textsFor(request)
    return site.send(reply.headers(refusal?.headers ?? {}), {
      title: texts.signIn.title,
      status: refusal === undefined ? 200 : refusals[refusal.code].status,
      viewer: viewerOf(request),
      scripts: passkeys.isOffered ? passkeyScripts : [],
      body: html`${problemNotice(refusal, request)}
      ${signInForm(site, { texts, action: site.href('/sign-in'), email, extra: hidden('next', next) })}
      ${passkeys.isOffered && passkeyOffer(site, site.href(next), texts)}
      ${isSignUpOpen && html`<p>${rich(texts.signIn.noAccount, { link: signUpLink })}</p>`}`,
    })
  }

  app.get<{ Querystring: { next?: string } }>('/sign-in', access, (request, reply) =>
    sendForm(request, reply, { next: safeNext(request.query.next) }),
  )

  app.post('/sign-in', access, async (request, reply) => {
    const fields = await readForm(request)
    const email = fields.get('email') ?? ''
    const next = safeNext(fields.get('next'))
    try {
      const session = await signIn.byPassword({
        email,
        password: fields.get('password') ?? '',
        address: addressBucket(request.ip),
        browser: browserOf(request),
        cookies: request.headers.cookie,
      })
      return await redirectSignedIn(reply, { sessions, devices }, session, site.href(next))
    } catch (error) {
      return sendForm(request, reply, { next, email, refusal: signInRefusal(error) })
    }
  })

  app.post<{ Querystring: { deleted?: string } }>(
    '/sign-out',
    { config: pageAccess },
    async (request, reply) => {
      const person = personOf(request.actor)
      if (person) {
        await sessions.revoke(person.accountId, person.sessionId, {
          accountId: person.accountId,
          via: 'session',
        })
      }
      void reply.header('Set-Cookie', sessions.noCookie())
      if (site.isTrustworthy) void reply.header('Clear-Site-Data', clearSiteData)
      const { signedOut } = textsFor(request).signIn
      return site.send(reply, {
        title: signedOut.title,
        // The web app asks first and deletes its data; a page without scripts cannot.
        body: html`${notice('good', signedOut.notice)}
          ${request.query.deleted !== 'yes' && html`<p>${signedOut.drafts}</p>`}
          <p><a href="${site.href('/sign-in')}">${signedOut.again}</a></p>`,
      })
    },
  )
}
