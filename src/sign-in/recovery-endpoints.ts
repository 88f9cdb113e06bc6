// The pages for a forgotten password, /reset, and for the link that confirms a new address.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { KnownDevices } from '../auth/known-devices.ts'
import type { Sessions } from '../auth/sessions.ts'
import { refusals, type Refusal } from '../errors.ts'
import { readForm } from '../http/bodies/form-body.ts'
import { addressBucket } from '../http/rates/rate-limits.ts'
import { button, field, form, notice } from '../site/forms.ts'
import { html } from '../site/html.ts'
import type { Site } from '../site/site.ts'
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
import type { Recovery } from './recovery.ts'

export interface RecoveryEndpointsDependencies {
  readonly site: Site
  readonly recovery: Recovery
  readonly sessions: Sessions
  readonly devices: KnownDevices
  /** Counts an attempt. @throws refusal `too-many-requests`. */
  readonly spend: (limit: 'sign-in', bucket: string) => Promise<unknown>
}

type WithToken = { Params: { token: string } }

export function registerRecoveryEndpoints(
  app: FastifyInstance,
  { site, recovery, sessions, devices, spend }: RecoveryEndpointsDependencies,
): void {
  app.get('/reset', { config: pageAccess }, (request, reply) =>
    site.send(reply, {
      title: 'A new password',
      viewer: viewerOf(request),
      body: recovery.canMail
        ? html`<p class="lead">We send a link to your address; with it you choose a new password.</p>
            ${form({
              action: site.href('/reset'),
              children: [
                field({
                  name: 'email',
                  label: 'E-mail address',
                  type: 'email',
                  autocomplete: 'username',
                  isRequired: true,
                  maxLength: 254,
                }),
                button('Send me the link'),
              ],
            })}`
        : html`<p class="lead">
              This site cannot send mail. Ask those who run it for a link to choose a new password.
            </p>
            <p>They make one with <code>waymark accounts reset-link</code>.</p>`,
    }),
  )

  app.post('/reset', { config: pageAccess }, async (request, reply) => {
    await spend('sign-in', `asked ${addressBucket(request.ip)}`)
    const email = (await readForm(request)).get('email') ?? ''
    await recovery.askReset(email)
    return site.send(reply, {
      title: 'Look into your mail',
      body: html`${notice('good', 'If there is an account with this address, a mail is on its way.')}
        <p class="lead">Open the link in it to choose a new password. It works once, within an hour.</p>`,
    })
  })

  function sendReset(
    request: FastifyRequest<WithToken>,
    reply: FastifyReply,
    refusal?: Refusal,
  ): FastifyReply {
    return site.send(reply, {
      title: 'Choose a new password',
      status: refusal === undefined ? 200 : refusals[refusal.code].status,
      body: html`${problemNotice(refusal)}
        <p class="lead">Every browser that is signed in with the old one will be signed out.</p>
        ${form({
          action: site.href(`/reset/${request.params.token}`),
          children: [newPasswordField('New password'), button('Set the password')],
        })}`,
    })
  }

  app.get<WithToken>('/reset/:token', { config: pageAccess }, async (request, reply) => {
    await countingGuesses(request, spend, () => recovery.requireResetLink(request.params.token))
    return sendReset(request, reply)
  })

  app.post<WithToken>('/reset/:token', { config: pageAccess }, async (request, reply) => {
    const password = (await readForm(request)).get('password') ?? ''
    try {
      const session = await countingGuesses(request, spend, () =>
        recovery.reset(request.params.token, password, browserOf(request)),
      )
      return await redirectSignedIn(reply, { sessions, devices }, session, site.href('/'))
    } catch (error) {
      return sendReset(request, reply, mendableRefusal(error))
    }
  })

  // Opening the link changes nothing by itself: scanners of mail open links, too.
  app.get<WithToken>('/confirm-email/:token', { config: pageAccess }, async (request, reply) => {
    const email = await countingGuesses(request, spend, () => recovery.addressToConfirm(request.params.token))
    return site.send(reply, {
      title: 'Confirm your address',
      body: html`<p class="lead">Use <strong>${email}</strong> for your account?</p>
        ${form({
          action: site.href(`/confirm-email/${request.params.token}`),
          children: button('Confirm the address'),
        })}`,
    })
  })

  app.post<WithToken>('/confirm-email/:token', { config: pageAccess }, async (request, reply) => {
    await countingGuesses(request, spend, () => recovery.confirmEmail(request.params.token))
    return site.send(reply, {
      title: 'Address confirmed',
      body: html`${notice('good', 'Your account uses this address from now on.')}
        <p><a href="${site.href('/account')}">Your account</a></p>`,
    })
  })
}
