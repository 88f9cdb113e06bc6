// The pages /sign-in and /sign-out.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Passkeys } from '../auth/passkeys.ts'
import type { Sessions } from '../auth/sessions.ts'
import { refusals, type Refusal } from '../errors.ts'
import { readForm } from '../http/form-body.ts'
import { addressBucket } from '../http/rate-limits.ts'
import { hidden, notice } from '../site/forms.ts'
import { html } from '../site/html.ts'
import type { Site } from '../site/site.ts'
import {
  browserOf,
  mendableRefusal,
  pageAccess,
  passkeyOffer,
  passkeyScripts,
  personOf,
  problemNotice,
  redirectSignedIn,
  safeNext,
  signInForm,
  viewerOf,
} from './page-parts.ts'
import type { SignIn } from './sign-in.ts'

export interface SignInEndpointsDependencies {
  readonly site: Site
  readonly signIn: SignIn
  readonly sessions: Sessions
  readonly passkeys: Passkeys
  /** Whether the page offers to make an account. */
  readonly isSignUpOpen: boolean
}

export function registerSignInEndpoints(
  app: FastifyInstance,
  { site, signIn, sessions, passkeys, isSignUpOpen }: SignInEndpointsDependencies,
): void {
  function sendForm(
    request: FastifyRequest,
    reply: FastifyReply,
    options: { next: string; email?: string | undefined; refusal?: Refusal },
  ): FastifyReply {
    const { next, email, refusal } = options
    return site.send(reply, {
      title: 'Sign in',
      status: refusal === undefined ? 200 : refusals[refusal.code].status,
      viewer: viewerOf(request),
      scripts: passkeys.isOffered ? passkeyScripts : [],
      body: html`${problemNotice(refusal)}
      ${signInForm(site, { action: site.href('/sign-in'), email, extra: hidden('next', next) })}
      ${passkeys.isOffered && passkeyOffer(site, site.href(next))}
      ${isSignUpOpen && html`<p>No account yet? <a href="${site.href('/sign-up')}">Make one</a></p>`}`,
    })
  }

  app.get<{ Querystring: { next?: string } }>('/sign-in', { config: pageAccess }, (request, reply) =>
    sendForm(request, reply, { next: safeNext(request.query.next) }),
  )

  app.post('/sign-in', { config: pageAccess }, async (request, reply) => {
    const fields = await readForm(request)
    const email = fields.get('email') ?? ''
    const next = safeNext(fields.get('next'))
    try {
      const session = await signIn.byPassword({
        email,
        password: fields.get('password') ?? '',
        address: addressBucket(request.ip),
        browser: browserOf(request),
      })
      return redirectSignedIn(reply, sessions, session, site.href(next))
    } catch (error) {
      return sendForm(request, reply, { next, email, refusal: mendableRefusal(error) })
    }
  })

  app.post('/sign-out', { config: pageAccess }, async (request, reply) => {
    const person = personOf(request.actor)
    if (person) {
      await sessions.revoke(person.accountId, person.sessionId, {
        accountId: person.accountId,
        via: 'session',
      })
    }
    void reply.header('Set-Cookie', sessions.noCookie())
    return site.send(reply, {
      title: 'Signed out',
      body: html`${notice('good', 'You are signed out in this browser.')}
        <p><a href="${site.href('/sign-in')}">Sign in again</a></p>`,
    })
  })
}
