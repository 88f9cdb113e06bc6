// The pages for a forgotten password, /reset, and for the link that confirms a new address.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { KnownDevices } from '../auth/known-devices.ts'
import type { Sessions } from '../auth/sessions.ts'
import { refusals, type Refusal } from '../errors.ts'
import { readForm } from '../http/bodies/form-body.ts'
import { addressBucket } from '../http/rates/rate-limits.ts'
import { button, field, form, notice } from '../site/forms.ts'
import { html, rich } from '../site/html.ts'
import type { Site } from '../site/site.ts'
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
  app.get('/reset', { config: pageAccess }, (request, reply) => {
    const { email, sendLink, reset } = textsFor(request).signIn
    return site.send(reply, {
      title: reset.title,
      viewer: viewerOf(request),
      body: recovery.canMail
        ? html`<p class="lead">${reset.lead}</p>
            ${form({
              action: site.href('/reset'),
              children: [
                field({
                  name: 'email',
                  label: email,
                  type: 'email',
                  autocomplete: 'username',
                  isRequired: true,
                  maxLength: 254,
                }),
                button(sendLink),
              ],
            })}`
        : html`<p class="lead">${reset.noMail}</p>
            <p>${rich(reset.noMailCommand, { command: (text) => html`<code>${text}</code>` })}</p>`,
    })
  })

  app.post('/reset', { config: pageAccess }, async (request, reply) => {
    await spend('sign-in', `asked ${addressBucket(request.ip)}`)
    const email = (await readForm(request)).get('email') ?? ''
    await recovery.askReset(email, accountLanguageOf(request))
    const { checkEmail, reset } = textsFor(request).signIn
    return site.send(reply, {
      title: checkEmail,
      body: html`${notice('good', reset.sent)}
        <p class="lead">${reset.sentLead}</p>`,
    })
  })

  function sendReset(
    request: FastifyRequest<WithToken>,
    reply: FastifyReply,
    refusal?: Refusal,
  ): FastifyReply {
    const texts = textsFor(request)
    const { newPassword, reset } = texts.signIn
    return site.send(reply, {
      title: reset.choose,
      status: refusal === undefined ? 200 : refusals[refusal.code].status,
      body: html`${problemNotice(refusal, request)}
        <p class="lead">${reset.chooseLead}</p>
        ${form({
          action: site.href(`/reset/${request.params.token}`),
          children: [newPasswordField(texts, newPassword), button(reset.set)],
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

  // Opening the link changes nothing by itself, since email scanners open links, too.
  app.get<WithToken>('/confirm-email/:token', { config: pageAccess }, async (request, reply) => {
    const email = await countingGuesses(request, spend, () => recovery.addressToConfirm(request.params.token))
    const { confirm } = textsFor(request).signIn
    return site.send(reply, {
      title: confirm.title,
      body: html`<p class="lead">${rich(confirm.lead, { email: html`<strong>${email}</strong>` })}</p>
        ${form({
          action: site.href(`/confirm-email/${request.params.token}`),
          children: button(confirm.confirm),
        })}`,
    })
  })

  app.post<WithToken>('/confirm-email/:token', { config: pageAccess }, async (request, reply) => {
    await countingGuesses(request, spend, () => recovery.confirmEmail(request.params.token))
    const { frame, signIn } = textsFor(request)
    return site.send(reply, {
      title: signIn.confirm.doneTitle,
      body: html`${notice('good', signIn.confirm.done)}
        <p><a href="${site.href('/account')}">${frame.yourAccount}</a></p>`,
    })
  })
}
