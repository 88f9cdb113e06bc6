// The section of the account page for one's own applications, the page of one of them, and the page that shows a secret this once.
import { scopesOfRole } from '../../auth/guard.ts'
import type { ClientRow } from '../../auth/oauth-clients-table.ts'
import { isScope, scopeWords, type Scope } from '../../auth/scopes.ts'
import type { Role } from '../../database/schema.ts'
import { button, choice, field, form, notice } from '../../site/forms.ts'
import { html, type Html, type HtmlValue } from '../../site/html.ts'
import type { Site } from '../../site/site.ts'
import { problemNotice } from '../../sign-in/page-parts.ts'
import {
  actionOf,
  fold,
  onceField,
  sectionCard,
  time,
  type AccountView,
  type PageProblem,
} from '../account-view.ts'
import { redirectUrisOf } from '../documents.ts'

interface ClientFormValues {
  readonly name: string | undefined
  readonly redirectUris: string | undefined
  readonly scopes: ReadonlySet<string>
}

/** What was typed; the boxes are named by their scopes, since a form names each field once. */
function typedValues({ fields }: Pick<PageProblem, 'fields'>): ClientFormValues {
  return {
    name: fields.get('name'),
    redirectUris: fields.get('redirectUris'),
    scopes: new Set([...fields.keys()].filter(isScope)),
  }
}

function clientFields(role: Role, values: ClientFormValues): Html {
  const own: readonly Scope[] = [...scopesOfRole(role)]
  return html`${field({
      name: 'name',
      id: 'client-name',
      label: 'Name',
      hint: 'People read it when they are asked whether the application may use their account.',
      value: values.name,
      autocomplete: 'off',
      isRequired: true,
      maxLength: 200,
    })}
    ${field({
      name: 'redirectUris',
      label: 'Addresses that people come back to',
      type: 'textarea',
      hint: 'One a line: https, or http on 127.0.0.1. None for what signs in by device code only.',
      value: values.redirectUris,
    })}
    <fieldset>
      <legend>What it may ask for</legend>
      ${own.map((scope) => choice({ name: scope, label: scope, isChecked: values.scopes.has(scope) }))}
    </fieldset>`
}

function clientItem({ site }: AccountView, { id, name, createdAt, secretHash }: ClientRow): Html {
  return html`<li>
    <h3>${name}</h3>
    <dl class="facts">
      <dt>Client ID</dt>
      <dd><code>${id}</code></dd>
      <dt>Kind</dt>
      <dd>${secretHash === null ? 'Public: keeps no secret' : 'Confidential: has a secret'}</dd>
      <dt>Registered</dt>
      <dd>${time(createdAt)}</dd>
    </dl>
    <p><a href="${site.href(`/account/clients/${id}`)}">Change or remove ${name}</a></p>
  </li>`
}

export function clientsSection(view: AccountView): Html {
  const { clients, person, problem } = view
  const isProblem = problem?.section === 'clients'
  const values = isProblem
    ? typedValues(problem)
    : { name: undefined, redirectUris: undefined, scopes: new Set(['images:read']) }
  const register = form({
    action: actionOf(view, 'clients', 'clients'),
    label: 'New application',
    children: [
      onceField(view),
      clientFields(person.role, values),
      choice({
        name: 'isPublic',
        label: 'It runs in a browser, on a phone or in a terminal',
        hint: 'There it can keep no secret, and gets none.',
        isChecked: isProblem && problem.fields.has('isPublic'),
      }),
      button('Register the application'),
    ],
  })
  return sectionCard(view, {
    name: 'clients',
    title: 'Your own applications',
    body: html`<p>For developers: programs that ask other people whether they may use their accounts.</p>
      ${
        clients.length === 0
          ? html`<p class="muted">You have none. Register one to get its client ID.</p>`
          : html`<ul class="rows">
              ${clients.map((client) => clientItem(view, client))}
            </ul>`
      }
      ${fold('Register an application', { isOpen: isProblem, body: register })}`,
  })
}

export interface ClientPageOptions {
  readonly role: Role
  readonly once: string
  readonly problem?: Omit<PageProblem, 'section'> | undefined
}

export function clientPage(site: Site, client: ClientRow, { role, once, problem }: ClientPageOptions): Html {
  const { id, name, scope, secretHash, createdAt } = client
  const here = site.href(`/account/clients/${id}`)
  const stored = {
    name,
    redirectUris: redirectUrisOf(client).join('\n'),
    scopes: new Set(scopeWords(scope)),
  }
  const newSecret = html`<div class="card">
    <h2>A new secret</h2>
    <p>The old secret and every token of the application stop working at once.</p>
    ${form({
      action: `${here}/secret`,
      label: 'New secret',
      children: [onceField({ once }), button('Make a new secret', { kind: 'danger' })],
    })}
  </div>`
  return html`${problemNotice(problem?.refusal)}
    <dl class="facts">
      <dt>Client ID</dt>
      <dd><code>${id}</code></dd>
      <dt>Kind</dt>
      <dd>${secretHash === null ? 'Public: keeps no secret' : 'Confidential: has a secret'}</dd>
      <dt>Registered</dt>
      <dd>${time(createdAt)}</dd>
    </dl>
    <div class="card">
      <h2>Change it</h2>
      ${form({
        action: `${here}/change`,
        label: 'Change the application',
        children: [clientFields(role, problem ? typedValues(problem) : stored), button('Save the changes')],
      })}
    </div>
    ${secretHash !== null && newSecret}
    <div class="card">
      <h2>Remove it</h2>
      <p>Everything issued to it, for whomever, stops working at once. This cannot be undone.</p>
      ${form({
        action: `${here}/remove`,
        label: 'Remove the application',
        children: button('Remove the application', { kind: 'danger' }),
      })}
    </div>
    <p><a href="${site.href('/account#clients')}">Back to your account</a></p>`
}

export function clientSecretPage(
  site: Site,
  { clientId, clientSecret }: { readonly clientId: string; readonly clientSecret: string | undefined },
): Html {
  const secret: HtmlValue = clientSecret !== undefined && [
    notice('good', 'Copy the secret now and keep it safe: it is shown this once.'),
    html`<h2 id="secret-title">Client secret</h2>
      <pre class="secret" aria-labelledby="secret-title"><code>${clientSecret}</code></pre>
      <p class="hint">A click selects all of it.</p>`,
  ]
  return html`${secret}
    <h2 id="id-title">Client ID</h2>
    <pre class="secret" aria-labelledby="id-title"><code>${clientId}</code></pre>
    <p><a href="${site.href('/account#clients')}">Back to your account</a></p>`
}
