// The page on which a person signs in to, and allows, an application that waits for it: /oauth/interaction/{uid}.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { requirePasskey, type AccountActor } from '../auth/guard.ts'
import type { Interaction, Interactions } from '../auth/oauth/oauth-interactions.ts'
import type { KnownDevices } from '../auth/known-devices.ts'
import type { Passkeys } from '../auth/passkeys/passkeys.ts'
import type { Sessions } from '../auth/sessions.ts'
import { refusals, refuse, type Refusal } from '../errors.ts'
import { readForm } from '../http/bodies/form-body.ts'
import { addressBucket, type RateLimits } from '../http/rates/rate-limits.ts'
import { button, form } from '../site/forms.ts'
import { html, rich, type Html } from '../site/html.ts'
import type { PageOptions, Site } from '../site/site.ts'
import { textsIn, type Texts } from '../texts/texts.ts'
import {
  browserOf,
  deviceAccess,
  passkeyOffer,
  passkeyScripts,
  personOf,
  problemNotice,
  redirectSignedIn,
  signInForm,
  signInRefusal,
  textsFor,
  viewerOf,
} from './page-parts.ts'
import type { SignIn } from './sign-in.ts'

export interface InteractionEndpointsDependencies {
  readonly site: Site
  readonly interactions: Interactions
  readonly signIn: SignIn
  readonly sessions: Sessions
  readonly devices: KnownDevices
  readonly spend: RateLimits['spend']
  readonly passkeys: Passkeys
}

export function registerInteractionEndpoints(
  app: FastifyInstance,
  { site, interactions, signIn, sessions, devices, spend, passkeys }: InteractionEndpointsDependencies,
): void {
  const strong = (text: string | undefined): Html => html`<strong>${text}</strong>`
  const hereOf = ({ uid }: Interaction): string => site.href(`/oauth/interaction/${uid}`)

  function send(
    request: FastifyRequest,
    reply: FastifyReply,
    { redirectUri }: Interaction,
    options: PageOptions,
  ): FastifyReply {
    // The browser applies form-action to the redirects after a form too: here, to the application.
    const formTargets = redirectUri === undefined ? [] : [redirectUri]
    return site.send(reply, { ...options, formTargets, viewer: viewerOf(request) })
  }

  function sendSignIn(
    request: FastifyRequest,
    reply: FastifyReply,
    interaction: Interaction,
    { email, refusal }: { email?: string | undefined; refusal?: Refusal } = {},
  ): FastifyReply {
    const { client, signInSince } = interaction
    const texts = textsFor(request)
    const { signIn, signInAgain } = texts.applications
    const lead = signInSince === undefined ? signIn : signInAgain
    return send(request, reply.headers(refusal?.headers ?? {}), interaction, {
      title: texts.signIn.title,
      status: refusal === undefined ? 200 : refusals[refusal.code].status,
      scripts: passkeys.isOffered ? passkeyScripts : [],
      body: html`${problemNotice(refusal, request)}
        <p class="lead">${rich(lead, { application: strong(client.name) })}</p>
        ${signInForm(site, { texts, action: hereOf(interaction), email })}
        ${passkeys.isOffered && passkeyOffer(site, hereOf(interaction), texts)}`,
    })
  }

  function whatItMay(interaction: Interaction, actor: AccountActor, { applications }: Texts): Html {
    const may = interactions.grantable(interaction, actor)
    const mayNot = interaction.scopes.filter((scope) => !may.includes(scope))
    return html`<p>${applications.willBeAble}</p>
      <ul>
        <li>${applications.identity}</li>
        ${may.map((scope) => html`<li>${applications.scopes[scope]}</li> `)}
      </ul>
      ${
        mayNot.length > 0 &&
        html`<p>${applications.willNot}</p>
          <ul class="muted">
            ${mayNot.map((scope) => html`<li>${applications.scopes[scope]}</li> `)}
          </ul>`
      }`
  }

  function sendConsent(
    request: FastifyRequest,
    reply: FastifyReply,
    interaction: Interaction,
    actor: AccountActor,
  ): FastifyReply {
    const { client, redirectUri } = interaction
    const texts = textsFor(request)
    const { allowTitle, asks, goBack, yourDevice, allow, deny } = texts.applications
    const place = redirectUri === undefined ? yourDevice : new URL(redirectUri).host
    return send(request, reply, interaction, {
      title: allowTitle(client.name),
      body: html`<p class="lead">
          ${rich(asks, {
            application: strong(client.name),
            publisher: client.publisher,
            account: strong(actor.displayName),
          })}
        </p>
        ${whatItMay(interaction, actor, texts)}
        <p>
          ${rich(goBack, {
            place: strong(place),
            link: (text) => html`<a href="${site.href('/account')}">${text}</a>`,
          })}
        </p>
        ${form({
          action: hereOf(interaction),
          children: [
            button(allow, { name: 'do', value: 'allow' }),
            ' ',
            button(deny, { name: 'do', value: 'deny', kind: 'plain' }),
          ],
        })}`,
    })
  }

  const onward = (reply: FastifyReply, to: string): FastifyReply =>
    reply.header('Cache-Control', 'no-store').redirect(to, 303)

  async function show(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const interaction = await interactions.find(request, reply)
    const person = personOf(request.actor)
    if (!person) return sendSignIn(request, reply, interaction)
    requirePasskey(person)
    if (interaction.asks === 'who') {
      const { accountId, signedInAt } = person
      const { signInSince = 0 } = interaction
      if (signedInAt < signInSince) return sendSignIn(request, reply, interaction)
      return onward(reply, await interactions.signedIn(request, reply, accountId, signedInAt))
    }
    if (interaction.accountId !== person.accountId) {
      throw refuse('link-used', {
        detail: (language) => textsIn(language).details.otherAccount,
      })
    }
    if (!interaction.mustAsk && (await interactions.isRemembered(interaction, person)))
      return onward(reply, await interactions.allow(request, reply, person))
    return sendConsent(request, reply, interaction, person)
  }

  async function signInHere(
    request: FastifyRequest,
    reply: FastifyReply,
    interaction: Interaction,
    fields: ReadonlyMap<string, string>,
  ): Promise<FastifyReply> {
    const email = fields.get('email') ?? ''
    try {
      const session = await signIn.byPassword({
        email,
        password: fields.get('password') ?? '',
        address: addressBucket(request.ip),
        browser: browserOf(request),
        cookies: request.headers.cookie,
      })
      return await redirectSignedIn(reply, { sessions, devices }, session, hereOf(interaction))
    } catch (error) {
      return sendSignIn(request, reply, interaction, { email, refusal: signInRefusal(error) })
    }
  }

  const url = '/oauth/interaction/:uid'
  const access = deviceAccess({ devices, spend })
  app.get(url, access, (request, reply) => show(request, reply))

  app.post(url, access, async (request, reply) => {
    const interaction = await interactions.find(request, reply)
    const fields = await readForm(request)
    const person = personOf(request.actor)
    const wish = fields.get('do')
    if (wish === 'sign-in') return signInHere(request, reply, interaction, fields)
    if (wish !== 'allow' && wish !== 'deny')
      throw refuse('invalid-field', { detail: 'The form must say what to do.' })
    if (!person) return sendSignIn(request, reply, interaction)
    requirePasskey(person)
    return onward(reply, await interactions[wish](request, reply, person))
  })
}
