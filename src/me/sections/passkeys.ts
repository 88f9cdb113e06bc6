// The section of the account page for passkeys. Adding one takes a script (site/assets/passkeys.js), since a browser does.
import type { PasskeyRow } from '../../auth/passkeys.ts'
import { accountHint, button, field, form, hidden } from '../../site/forms.ts'
import { attributes, html, type Html, type HtmlValue } from '../../site/html.ts'
import { actionOf, fold, sectionCard, time, type AccountView } from '../account-view.ts'

function passwordField({ profile }: AccountView, id: string): HtmlValue {
  return (
    profile.hasPassword && [
      accountHint(profile.email),
      field({
        id,
        name: 'password',
        label: 'Password',
        type: 'password',
        autocomplete: 'current-password',
        hint: 'Needed once you signed in more than ten minutes ago.',
        maxLength: 1_024,
      }),
    ]
  )
}

function passkeyItem(view: AccountView, passkey: PasskeyRow, at: number): Html {
  const { name, credentialId, createdAt, lastUsedAt } = passkey
  return html`<li>
    <h3>${name}</h3>
    <dl class="facts">
      <dt>Added</dt>
      <dd>${time(createdAt)}</dd>
      <dt>Last used</dt>
      <dd>${lastUsedAt === null ? 'Never' : time(lastUsedAt)}</dd>
    </dl>
    ${fold(`Remove ${name}`, {
      isOpen: false,
      body: html`<p>It signs nobody in any more. Delete it on your device, too.</p>
        ${form({
          action: actionOf(view, 'passkeys', 'passkeys/remove'),
          label: `Remove ${name}`,
          children: [
            hidden('passkey', credentialId),
            passwordField(view, `field-passkey-password-${at}`),
            button('Remove it', { kind: 'danger' }),
          ],
        })}`,
    })}
  </li>`
}

/** Shown by the script, where the browser knows passkeys. */
function adding(view: AccountView): Html {
  const { site } = view
  const addresses = attributes({
    'data-passkey-add': site.href('/account?done=passkey-added#passkeys'),
    'data-options': site.href('/v2/me/passkey-options'),
    'data-send': site.href('/v2/me/passkeys'),
  })
  return html`<form ${addresses} aria-label="Add a passkey" hidden>
      ${field({
        id: 'field-passkey-name',
        name: 'name',
        label: 'Name of the passkey',
        hint: 'By which you will know it again, such as the device it is on.',
        isRequired: true,
        maxLength: 200,
      })}
      ${passwordField(view, 'field-passkey-password')} ${button('Add a passkey')}
      <p class="error" role="alert"></p>
    </form>
    <noscript><p class="muted">To add a passkey, allow this site to run scripts.</p></noscript>`
}

/** Nothing where the site offers no passkeys and the person has none from another time. */
export function passkeySection(view: AccountView): HtmlValue {
  const { passkeys, offersPasskeys } = view
  if (!offersPasskeys && passkeys.length === 0) return undefined
  return sectionCard(view, {
    name: 'passkeys',
    title: 'Passkeys',
    body: html`<p class="muted">
        With a passkey you sign in by finger, face or the PIN of your device; there is nothing to remember and
        nothing that a false page could take from you.
      </p>
      ${
        passkeys.length > 0 &&
        html`<ul class="rows">
          ${passkeys.map((passkey, at) => passkeyItem(view, passkey, at))}
        </ul>`
      }
      ${
        !view.profile.hasPassword &&
        html`<p>
          Adding or removing one takes a sign-in of the last ten minutes:
          <a href="${view.site.href('/sign-in?next=/account')}">sign in once more</a>.
        </p>`
      }
      ${offersPasskeys && adding(view)}`,
  })
}
