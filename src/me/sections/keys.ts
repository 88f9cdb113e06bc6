// The section of the account page for API keys, the page of one key, and the page that shows a new one this once.
import { keyStatus, type KeyRow, type NewKey } from '../../auth/api-keys.ts'
import { button, choices, field, form, notice } from '../../site/forms.ts'
import { html, type Html, type HtmlValue } from '../../site/html.ts'
import type { Site } from '../../site/site.ts'
import { actionOf, fold, onceField, sectionCard, time, typed, type AccountView } from '../account-view.ts'

const day = 86_400_000

/** How long a new key may live, in days; `never` for one that stays. */
export const keyLives = [
  { value: 'never', label: 'Never: until you revoke it', lifeMs: undefined },
  { value: '30', label: 'In 30 days', lifeMs: 30 * day },
  { value: '90', label: 'In 90 days', lifeMs: 90 * day },
  { value: '365', label: 'In a year', lifeMs: 365 * day },
] as const

/** How long the old key still opens when it is replaced. */
export const overlaps = [
  { value: '0', label: 'At once', overlapMs: 0 },
  { value: '1', label: 'In a day', overlapMs: day },
  { value: '7', label: 'In 7 days', overlapMs: 7 * day },
] as const

function keyFacts({ prefix, createdAt, expiresAt, lastUsedAt, revokedAt }: KeyRow, now: number): Html {
  return html`<dl class="facts">
    <dt>Begins with</dt>
    <dd><code>${prefix}</code></dd>
    <dt>Made</dt>
    <dd>${time(createdAt)}</dd>
    <dt>Last used</dt>
    <dd>${lastUsedAt === null ? 'never' : time(lastUsedAt)}</dd>
    ${
      expiresAt !== null &&
      html`<dt>Expires</dt>
        <dd>${time(expiresAt)}</dd>`
    }
    ${
      revokedAt !== null &&
      html`<dt>${revokedAt <= now ? 'Revoked' : 'Replaced; ends'}</dt>
        <dd>${time(revokedAt)}</dd>`
    }
  </dl>`
}

const keyItem = (view: AccountView, key: KeyRow, more?: HtmlValue): Html =>
  html`<li>
    <h3>${key.name}</h3>
    ${keyFacts(key, view.now)} ${more}
  </li>`

const liveItem = (view: AccountView, key: KeyRow): Html =>
  keyItem(
    view,
    key,
    html`<p><a href="${view.site.href(`/account/keys/${key.prefix}`)}">Replace or revoke ${key.name}</a></p>`,
  )

export function keysSection(view: AccountView): Html {
  const live = view.keys.filter((key) => keyStatus(key, view.now) === 'live')
  const ended = view.keys.filter((key) => keyStatus(key, view.now) !== 'live')
  const newKey = form({
    action: actionOf(view, 'keys', 'keys'),
    label: 'New API key',
    children: [
      onceField(view),
      field({
        name: 'name',
        id: 'key-name',
        label: 'What it is for',
        hint: 'Such as the site that shows the photos.',
        value: typed(view, 'keys', 'name'),
        autocomplete: 'off',
        isRequired: true,
        maxLength: 200,
      }),
      choices({
        kind: 'select',
        name: 'expires',
        label: 'When it expires',
        options: keyLives,
        values: [typed(view, 'keys', 'expires') ?? 'never'],
      }),
      button('Make the key'),
    ],
  })
  return sectionCard(view, {
    name: 'keys',
    title: 'API keys',
    body: html`<p>A key lets a site or a program read listed photos, and nothing else.</p>
      ${
        live.length === 0
          ? html`<p class="muted">You have none. Make one for each site or program that shows photos.</p>`
          : html`<ul class="rows">
              ${live.map((key) => liveItem(view, key))}
            </ul>`
      }
      ${fold('Make a key', { isOpen: view.problem?.section === 'keys', body: newKey })}
      ${
        ended.length > 0 &&
        fold(`Keys that ended (${ended.length})`, {
          isOpen: false,
          body: html`<ul class="rows">
            ${ended.toReversed().map((key) => keyItem(view, key))}
          </ul>`,
        })
      }`,
  })
}

export function keyPage(site: Site, key: KeyRow, { now, once }: { now: number; once: string }): Html {
  const here = site.href(`/account/keys/${key.prefix}`)
  const replace = html`<div class="card">
    <h2>Replace it</h2>
    <p>You get a new key of the same name and expiry. Give the old one time where programs still use it.</p>
    ${form({
      action: `${here}/rotate`,
      label: 'Replace the key',
      children: [
        onceField({ once }),
        choices({ kind: 'select', name: 'overlap', label: 'The old key ends', options: overlaps }),
        button('Replace the key'),
      ],
    })}
  </div>`
  return html`${keyFacts(key, now)}
    ${key.revokedAt === null ? replace : notice('info', 'The key was replaced already, and ends by itself.')}
    <div class="card">
      <h2>Revoke it</h2>
      <p>It opens nothing from the next request on. This cannot be undone.</p>
      ${form({
        action: `${here}/revoke`,
        label: 'Revoke the key',
        children: button('Revoke the key', { kind: 'danger' }),
      })}
    </div>
    <p><a href="${site.href('/account#keys')}">Back to your account</a></p>`
}

export function newKeyPage(site: Site, { apiKey, name, expiresAt }: NewKey): Html {
  return html`${notice('good', 'Copy the key now and keep it safe: it is shown this once.')}
    <h2 id="secret-title">${name}</h2>
    <pre class="secret" aria-labelledby="secret-title"><code>${apiKey}</code></pre>
    <p class="hint">
      A click selects all of it. Send it as the header X-API-Key, or in the address as api_key.
    </p>
    <p>${expiresAt === null ? 'It does not expire.' : html`It expires ${time(expiresAt)}.`}</p>
    <p><a href="${site.href('/account#keys')}">Back to your account</a></p>`
}
