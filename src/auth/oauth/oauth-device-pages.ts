// The pages on which a person types the code that a device shows, checks it, and is told that it worked (RFC 8628).
import type { Configuration, KoaContextWithOIDC } from 'oidc-provider'
import { button, field, form, hidden, notice } from '../../site/forms.ts'
import { html, type Html } from '../../site/html.ts'
import type { PageOptions, Site } from '../../site/site.ts'
import { endpoints } from './oauth-offer.ts'

type DeviceFlow = NonNullable<NonNullable<Configuration['features']>['deviceFlow']>

/** The code of `/device?user_code=…`, kept from the provider, which would answer with a form that sends itself by script. */
export const typedCodeOf = new WeakMap<object, string>()

function problemOf(error: unknown): string | undefined {
  if (error === undefined || error === null) return undefined
  const name = error instanceof Error ? error.name : ''
  const sentences: Readonly<Record<string, string>> = {
    NoCodeError: 'Type the code that your device shows.',
    NotFoundError: 'There is no such code. Check it on your device and type it again.',
    ExpiredError: 'The code has expired. Let your device show a new one.',
    AlreadyUsedError: 'The code was used already. Let your device show a new one.',
    AbortedError: 'You refused: the device was told, and has no access.',
  }
  return sentences[name]
}

export function createDevicePages(site: Site) {
  function send(ctx: KoaContextWithOIDC, options: PageOptions): void {
    ctx.set(site.headers(options))
    ctx.body = site.page(options)
  }

  const action = site.href(endpoints.deviceCode.path)

  function secretOf(ctx: KoaContextWithOIDC): Html {
    const { state } = ctx.oidc.session as unknown as { readonly state?: { readonly secret?: string } }
    return hidden('xsrf', state?.secret ?? '')
  }

  /** The form came without the cookie it was made with: another would fail as well, so the person gets a fresh page. */
  function sendStartAgain(ctx: KoaContextWithOIDC): void {
    send(ctx, {
      title: 'Connect a device',
      body: html`${notice('bad', 'The form has expired, or your browser takes no cookies.')}
        <p><a href="${action}">Start again</a></p>`,
    })
  }

  const input: NonNullable<DeviceFlow['userCodeInputSource']> = (ctx, _form, _out, error) => {
    const problem = problemOf(error)
    if (error && problem === undefined) return sendStartAgain(ctx)
    const typed = typedCodeOf.get(ctx.req)
    send(ctx, {
      title: 'Connect a device',
      body: html`${problem !== undefined && notice('bad', problem)}
        <p class="lead">Type the code that your device or terminal shows.</p>
        ${form({
          action,
          children: [
            secretOf(ctx),
            field({
              name: 'user_code',
              label: 'Code',
              hint: 'Eight letters, such as BCDF-GHJK.',
              value: typed,
              autocomplete: 'off',
              maxLength: 20,
              isRequired: true,
            }),
            button('Continue'),
          ],
        })}`,
    })
  }

  const confirm: NonNullable<DeviceFlow['userCodeConfirmSource']> = (ctx, _form, client, _info, code) => {
    send(ctx, {
      title: 'Is this your device?',
      body: html`<p class="lead">
          ${client.clientName ?? client.clientId} wants to connect to your account from a device that shows
          this code:
        </p>
        <p><code class="big">${code}</code></p>
        ${notice(
          'info',
          'Go on only if you see this very code on a device of your own. Whoever sent you a code by mail or chat wants into your account.',
        )}
        ${form({
          action,
          children: [
            secretOf(ctx),
            hidden('user_code', code),
            button('It is my device', { name: 'confirm', value: 'yes' }),
            ' ',
            button('No, refuse', { name: 'abort', value: 'yes', kind: 'plain' }),
          ],
        })}`,
    })
  }

  const success: NonNullable<DeviceFlow['successSource']> = (ctx) => {
    send(ctx, {
      title: 'Your device is connected',
      body: html`<p class="lead">Go back to it: it goes on by itself. You can close this page.</p>
        <p>Under <a href="${site.href('/account')}">your account</a> you can disconnect it at any time.</p>`,
    })
  }

  return { userCodeInputSource: input, userCodeConfirmSource: confirm, successSource: success }
}
