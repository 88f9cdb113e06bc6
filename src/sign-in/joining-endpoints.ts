// The pages by which people come to have an account: /sign-up, and /join/{token} for links, invitations and the set-up.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { KnownDevices } from '../auth/known-devices.ts'
import type { Sessions } from '../auth/sessions.ts'
import { refusals, refuse, type Refusal } from '../errors.ts'
import { readForm } from '../http/bodies/form-body.ts'
import { addressBucket } from '../http/rates/rate-limits.ts'
import { button, field, form, notice } from '../site/forms.ts'
import { html, type Html } from '../site/html.ts'
import type { Site } from '../site/site.ts'
import type { Joining, JoiningService } from './joining.ts'
import {
  browserOf,
  countingGuesses,
  mendableRefusal,
  newPasswordField,
  pageAccess,
  problemNotice,
  redirectSignedIn,
  viewerOf,
} from './page-parts.ts'

export interface JoiningEndpointsDependencies {
  readonly site: Site
  readonly joining: JoiningService
  readonly sessions: Sessions
  readonly devices: KnownDevices
  /** Counts an attempt. @throws refusal `too-many-requests`. */
  readonly spend: (limit: 'sign-in', bucket: string) => Promise<unknown>
}

const words: Readonly<Record<Joining['kind'], { title: string; lead: string }>> = {
  'set-up': {
    title: 'Set up this site',
    lead: 'Make the first account. It administers the site: it makes reviewers, applications and other admins.',
  },
  invitation: { title: 'Welcome', lead: 'You are invited. Choose a name and a password.' },
  'sign-up': { title: 'Welcome', lead: 'Your address is confirmed. Choose a name and a password.' },
}

/** What was typed before, to be shown again; never a password. */
interface Typed {
  readonly email?: string | undefined
  readonly name?: string | undefined
}

function emailField(email: string | undefined): Html {
  return field({
    name: 'email',
    label: 'E-mail address',
    type: 'email',
    autocomplete: 'username',
    value: email,
    isRequired: true,
    maxLength: 254,
  })
}

function nameField(name: string | undefined): Html {
  return field({
    name: 'name',
    label: 'Name',
    hint: 'As others see it beside your photos.',
    autocomplete: 'name',
    value: name,
    isRequired: true,
    maxLength: 256,
  })
}

export function registerJoiningEndpoints(
  app: FastifyInstance,
  { site, joining, sessions, devices, spend }: JoiningEndpointsDependencies,
): void {
  const statusOf = (refusal: Refusal | undefined): number =>
    refusal === undefined ? 200 : refusals[refusal.code].status

  function sendJoin(
    request: FastifyRequest<{ Params: { token: string } }>,
    reply: FastifyReply,
    { kind, email }: Joining,
    typed: Typed = {},
    refusal?: Refusal,
  ): FastifyReply {
    const { title, lead } = words[kind]
    return site.send(reply, {
      title,
      status: statusOf(refusal),
      viewer: viewerOf(request),
      body: html`${problemNotice(refusal)}
        <p class="lead">${lead}</p>
        ${form({
          action: site.href(`/join/${request.params.token}`),
          children: [
            email === undefined
              ? emailField(typed.email)
              : html`<p>E-mail address: <strong>${email}</strong></p>`,
            nameField(typed.name),
            newPasswordField(),
            button('Make the account'),
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
    const typed = { email: fields.get('email'), name: fields.get('name') }
    try {
      const session = await joining.join(token, {
        email: typed.email ?? '',
        displayName: typed.name ?? '',
        password: fields.get('password') ?? '',
        browser: browserOf(request),
      })
      return await redirectSignedIn(reply, { sessions, devices }, session, site.href('/'))
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
    return site.send(reply, {
      title: 'Make an account',
      status: statusOf(refusal),
      viewer: viewerOf(request),
      body: html`${problemNotice(refusal)}
        <p class="lead">
          ${
            proves
              ? 'We send you a link. Open it to choose a name and a password.'
              : 'With an account you can send photos and keep routes.'
          }
        </p>
        ${form({
          action: site.href('/sign-up'),
          children: proves
            ? [emailField(typed.email), button('Send me the link')]
            : [
                emailField(typed.email),
                nameField(typed.name),
                newPasswordField(),
                button('Make the account'),
              ],
        })}
        <p>Have one already? <a href="${site.href('/sign-in')}">Sign in</a></p>`,
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
        })
        return await redirectSignedIn(reply, { sessions, devices }, session, site.href('/'))
      }
      await joining.ask(email)
    } catch (error) {
      return sendSignUp(request, reply, typed, mendableRefusal(error))
    }
    return site.send(reply, {
      title: 'Look into your mail',
      body: html`${notice('good', 'A mail is on its way to you.')}
        <p class="lead">
          Open the link in it to choose a name and a password. It works once, within a day.
        </p>`,
    })
  })
}
