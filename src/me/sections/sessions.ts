// The sections of the account page for browsers that are signed in and for applications that were allowed something.
import { button, form, hidden } from '../../site/forms.ts'
import { html, type Html } from '../../site/html.ts'
import type { GrantedApplication } from '../../auth/granted-applications.ts'
import type { SessionRow } from '../../auth/sessions.ts'
import {
  actionOf,
  browserName,
  fold,
  scopeList,
  sectionCard,
  time,
  type AccountView,
} from '../account-view.ts'

function sessionItem(view: AccountView, session: SessionRow): Html {
  const name = browserName(session.browser)
  const isCurrent = session.id === view.person.sessionId
  return html`<li>
    <h3>${name} ${isCurrent && html`<span class="badge">this browser</span>`}</h3>
    <dl class="facts">
      <dt>Signed in</dt>
      <dd>${time(session.createdAt)}</dd>
      <dt>Last seen</dt>
      <dd>${time(session.lastSeenAt)}</dd>
      <dt>Ends</dt>
      <dd>${time(session.expiresAt)}</dd>
    </dl>
    ${
      !isCurrent &&
      form({
        action: actionOf(view, 'sessions', 'sessions/end'),
        label: `Sign out ${name}`,
        children: [hidden('session', session.id), button('Sign it out', { kind: 'plain' })],
      })
    }
  </li>`
}

export function sessionsSection(view: AccountView): Html {
  const { sessions } = view
  return sectionCard(view, {
    name: 'sessions',
    title: 'Browsers that are signed in',
    body: html`<ul class="rows">
        ${sessions.map((session) => sessionItem(view, session))}
      </ul>
      ${
        sessions.length > 1
          ? form({
              action: actionOf(view, 'sessions', 'sessions/end-others'),
              label: 'Sign out every other browser',
              children: button('Sign out every other browser', { kind: 'danger' }),
            })
          : html`<p class="muted">No other browser is signed in to your account.</p>`
      }`,
  })
}

function appItem(view: AccountView, app: GrantedApplication): Html {
  return html`<li>
    <h3>${app.name}</h3>
    <p class="muted">By ${app.publisher}; allowed ${time(app.grantedAt)}.</p>
    ${scopeList(app.scope)}
    ${fold(`Take back what ${app.name} may do`, {
      isOpen: false,
      body: html`<p>It is signed out of your account at once. You can allow it again later.</p>
        ${form({
          action: actionOf(view, 'apps', 'apps/revoke'),
          label: `Take back what ${app.name} may do`,
          children: [hidden('clientId', app.clientId), button('Take it back', { kind: 'danger' })],
        })}`,
    })}
  </li>`
}

export function appsSection(view: AccountView): Html {
  return sectionCard(view, {
    name: 'apps',
    title: 'Applications you allowed',
    body:
      view.apps.length === 0
        ? html`<p class="muted">
            None. When an application asks to use your account, you are asked first; what you allow is listed
            here, and can be taken back.
          </p>`
        : html`<ul class="rows">
            ${view.apps.map((app) => appItem(view, app))}
          </ul>`,
  })
}
