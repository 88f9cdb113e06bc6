// The pages for creating an account: /sign-up, and /join/{token} for links, invitations and the set-up.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { KnownDevices } from '../auth/known-devices.ts'
import type { Sessions } from '../auth/sessions.ts'
import { refusals, refuse, type Refusal } from '../errors.ts'
import { readForm } from '../http/bodies/form-body.ts'
import { addressBucket } from '../http/rates/rate-limits.ts'
import { button, field, form, notice } from '../site/forms.ts'
import { html, rich, type Html } from '../site/html.ts'
import type { Site } from '../site/site.ts'
import type { Texts } from '../texts/texts.ts'
import type { Joining, JoiningService } from './joining.ts'
import { mapField, takeMapOffer, type MapOffer } from './map-offer.ts'
import {
  accountLanguageOf,
  browserOf,
  countingGuesses,
  mendableRefusal,
  newPasswordField,
  pageAccess,
  problemNotice,
  redirectSignedIn,
  textsFor,
  viewerOf,
} from './page-parts.ts'

export interface JoiningEndpointsDependencies {
  readonly site: Site
  readonly joining: JoiningService
  readonly sessions: Sessions
  readonly devices: KnownDevices
  /** Undefined if the site has no pages with maps. */
  readonly mapOffer: MapOffer | undefined
  /** Counts an attempt. @throws refusal `too-many-requests`. */
  readonly spend: (limit: 'sign-in', bucket: string) => Promise<unknown>
}

/** The previous input, to be shown again; never a password. */
interface Typed {
  readonly email?: string | undefined
  readonly name?: string | undefined
  readonly map?: string | undefined
}

function emailField({ signIn }: Texts, email: string | undefined): Html {
  return field({
    name: 'email',
    label: signIn.email,
    type: 'email',
    autocomplete: 'username',
    value: email,
    isRequired: true,
    maxLength: 254,
  })
}

function nameField({ signIn }: Texts, name: string | undefined): Html {
  return field({
    name: 'name',
    label: signIn.name,
    hint: signIn.nameHint,
    autocomplete: 'name',
    value: name,
    isRequired: true,
    maxLength: 256,
  })
}

export function registerJoiningEndpoints(
  app: FastifyInstance,
  { site, joining, sessions, devices, mapOffer, spend }: JoiningEndpointsDependencies,
): void {
  const signInLink = (text: string): Html => html`<a href="${site.href('/sign-in')}">${text}</a>`
  const statusOf = (refusal: Refusal | undefined): number =>
    refusal === undefined ? 200 : refusals[refusal.code].status

  async function sendJoin(
    request: FastifyRequest<{ Params: { token: string } }>,
    reply: FastifyReply,
    { kind, email }: Joining,
    typed: Typed = {},
    refusal?: Refusal,
  ): Promise<FastifyReply> {
    const texts = textsFor(request)
    const offersMap = kind === 'set-up' && mapOffer !== undefined && (await mapOffer.isOpen())
    const { title, lead } = texts.signIn.join[kind]
    return site.send(reply, {
      title,
      status: statusOf(refusal),
      viewer: viewerOf(request),
      body: html`${problemNotice(refusal, request)}
        <p class="lead">${lead}</p>
        ${form({
          action: site.href(`/join/${request.params.token}`),
          children: [
            email === undefined
              ? emailField(texts, typed.email)
              : html`<p>${texts.signIn.email}: <strong>${email}</strong></p>`,
            nameField(texts, typed.name),
            newPasswordField(texts),
            offersMap && mapField(texts, typed.map),
            button(texts.signIn.createAccount),
          ],
        })}`,
    })
  }

  app.get<{ Params: { token: string } }>('/join/:token', { config: pageAccess }, async (request, reply) => {
    const promised = await countingGuesses(request, spend, () => joining.find(request.params.token))
    return sendJoin(request, reply, promised)
  })

  app.post<{ Params: { token: string } }>('/join/:token', { config: pageAccess }, async (request, reply) => {
    const { token } = request.params
    const promised = await countingGuesses(request, spend, () => joining.find(token))
    const fields = await readForm(request)
    const typed = { email: fields.get('email'), name: fields.get('name'), map: fields.get('map') }
    try {
      const session = await joining.join(token, {
        email: typed.email ?? '',
        displayName: typed.name ?? '',
        password: fields.get('password') ?? '',
        browser: browserOf(request),
        language: accountLanguageOf(request),
      })
      const offer = promised.kind === 'set-up' ? mapOffer : undefined
      const page = await takeMapOffer(offer, session.accountId, typed.map)
      return await redirectSignedIn(reply, { sessions, devices }, session, site.href(page))
    } catch (error) {
      return sendJoin(request, reply, promised, typed, mendableRefusal(error))
    }
  })

  function sendSignUp(
    request: FastifyRequest,
    reply: FastifyReply,
    typed: Typed = {},
    refusal?: Refusal,
  ): FastifyReply {
    if (joining.signUp !== 'open') throw refuse('sign-up-closed')
    const proves = joining.provesAddresses
    const texts = textsFor(request)
    const { signUp } = texts.signIn
    return site.send(reply, {
      title: texts.signIn.createAccount,
      status: statusOf(refusal),
      viewer: viewerOf(request),
      body: html`${problemNotice(refusal, request)}
        <p class="lead">${proves ? signUp.lead : signUp.leadUnproved}</p>
        ${form({
          action: site.href('/sign-up'),
          children: proves
            ? [emailField(texts, typed.email), button(texts.signIn.sendLink)]
            : [
                emailField(texts, typed.email),
                nameField(texts, typed.name),
                newPasswordField(texts),
                button(texts.signIn.createAccount),
              ],
        })}
        <p>${rich(texts.signIn.hasAccount, { link: signInLink })}</p>`,
    })
  }

  app.get('/sign-up', { config: pageAccess }, (request, reply) => sendSignUp(request, reply))

  app.post('/sign-up', { config: pageAccess }, async (request, reply) => {
    await spend('sign-in', `asked ${addressBucket(request.ip)}`)
    const fields = await readForm(request)
    const typed = { email: fields.get('email'), name: fields.get('name') }
    const email = typed.email ?? ''
    try {
      if (!joining.provesAddresses) {
        const session = await joining.signUpUnproved({
          email,
          displayName: typed.name ?? '',
          password: fields.get('password') ?? '',
          browser: browserOf(request),
          language: accountLanguageOf(request),
        })
        return await redirectSignedIn(reply, { sessions, devices }, session, site.href('/'))
      }
      await joining.ask(email, accountLanguageOf(request))
    } catch (error) {
      return sendSignUp(request, reply, typed, mendableRefusal(error))
    }
    const { checkEmail, signUp } = textsFor(request).signIn
    return site.send(reply, {
      title: checkEmail,
      body: html`${notice('good', signUp.sent)}
        <p class="lead">${signUp.sentLead}</p>`,
    })
  })
}
