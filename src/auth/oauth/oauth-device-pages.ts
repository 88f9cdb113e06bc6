// The pages on which a user enters the code of a device, checks it, and sees the result (RFC 8628).
import type { Configuration, KoaContextWithOIDC } from 'oidc-provider'
import { button, field, form, hidden, notice } from '../../site/forms.ts'
import { html, rich, type Html } from '../../site/html.ts'
import type { PageOptions, Site } from '../../site/site.ts'
import { languageOf } from '../../texts/request-language.ts'
import { textsIn, type Texts } from '../../texts/texts.ts'
import { endpoints } from './oauth-offer.ts'

type DeviceFlow = NonNullable<NonNullable<Configuration['features']>['deviceFlow']>

/**
 * The code of `/device?user_code=…`, which is hidden from the provider, since that would respond with a form that a
 * script submits.
 */
export const typedCodeOf = new WeakMap<object, string>()

const textsFor = (ctx: KoaContextWithOIDC): Texts => textsIn(languageOf(ctx.req.headers))

function problemOf(error: unknown, problems: Readonly<Record<string, string>>): string | undefined {
  const name = error instanceof Error ? error.name : ''
  return Object.hasOwn(problems, name) ? problems[name] : undefined
}

export function createDevicePages(site: Site) {
  function send(ctx: KoaContextWithOIDC, options: PageOptions): void {
    ctx.set(site.headers(options))
    ctx.body = site.page(options, languageOf(ctx.req.headers))
  }

  const action = site.href(endpoints.deviceCode.path)

  function secretOf(ctx: KoaContextWithOIDC): Html {
    const { state } = ctx.oidc.session as unknown as { readonly state?: { readonly secret?: string } }
    return hidden('xsrf', state?.secret ?? '')
  }

  /**
   * The form came without the cookie it was created with. Another attempt would fail too, so the user gets a fresh
   * page.
   */
  function sendStartAgain(ctx: KoaContextWithOIDC): void {
    const { device } = textsFor(ctx).applications
    send(ctx, {
      title: device.title,
      body: html`${notice('bad', device.expiredForm)}
        <p><a href="${action}">${device.startAgain}</a></p>`,
    })
  }

  const input: NonNullable<DeviceFlow['userCodeInputSource']> = (ctx, _form, _out, error) => {
    const { device } = textsFor(ctx).applications
    const problem = problemOf(error, device.problems)
    if (error && problem === undefined) return sendStartAgain(ctx)
    const typed = typedCodeOf.get(ctx.req)
    send(ctx, {
      title: device.title,
      body: html`${problem !== undefined && notice('bad', problem)}
        <p class="lead">${device.lead}</p>
        ${form({
          action,
          children: [
            secretOf(ctx),
            field({
              name: 'user_code',
              label: device.code,
              hint: device.codeHint,
              value: typed,
              autocomplete: 'off',
              maxLength: 20,
              isRequired: true,
            }),
            button(device.continue),
          ],
        })}`,
    })
  }

  const confirm: NonNullable<DeviceFlow['userCodeConfirmSource']> = (ctx, _form, client, _info, code) => {
    const { device } = textsFor(ctx).applications
    send(ctx, {
      title: device.isYours,
      body: html`<p class="lead">
          ${rich(device.wants, { application: client.clientName ?? client.clientId })}
        </p>
        <p><code class="big">${code}</code></p>
        ${notice('info', device.beware)}
        ${form({
          action,
          children: [
            secretOf(ctx),
            hidden('user_code', code),
            button(device.mine, { name: 'confirm', value: 'yes' }),
            ' ',
            button(device.notMine, { name: 'abort', value: 'yes', kind: 'plain' }),
          ],
        })}`,
    })
  }

  const success: NonNullable<DeviceFlow['successSource']> = (ctx) => {
    const { device } = textsFor(ctx).applications
    const link = (text: string): Html => html`<a href="${site.href('/account')}">${text}</a>`
    send(ctx, {
      title: device.connected,
      body: html`<p class="lead">${device.connectedLead}</p>
        <p>${rich(device.disconnect, { link })}</p>`,
    })
  }

  return { userCodeInputSource: input, userCodeConfirmSource: confirm, successSource: success }
}
