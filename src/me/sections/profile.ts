// The sections of the account page for name, e-mail address and password.
import { newPasswordField } from '../../sign-in/page-parts.ts'
import { accountHint, button, field, form, hidden } from '../../site/forms.ts'
import { html, type Html, type HtmlValue } from '../../site/html.ts'
import { actionOf, fold, sectionCard, time, typed, type AccountView } from '../account-view.ts'

const roleNames = { member: 'Member', reviewer: 'Reviewer', admin: 'Admin' } as const

function trailsOf({ person: { role, trails } }: AccountView): HtmlValue {
  if (role !== 'reviewer' || trails === undefined) return undefined
  const ids = [...trails].toSorted((one, other) => one - other)
  return html`, for the trails ${ids.join(', ')}`
}

export function profileSection(view: AccountView): Html {
  const { profile, person } = view
  const isProblem = view.problem?.section === 'profile'
  const isEmail = isProblem && view.problem.fields.has('email')
  const nameForm = form({
    action: actionOf(view, 'profile', 'name'),
    label: 'Name',
    children: [
      field({
        name: 'displayName',
        label: 'Name',
        hint: 'Others see it beside your photos.',
        value: typed(view, 'profile', 'displayName') ?? profile.displayName,
        autocomplete: 'name',
        isRequired: true,
      }),
      button('Change the name', { kind: 'plain' }),
    ],
  })
  const emailForm = form({
    action: actionOf(view, 'profile', 'email'),
    label: 'E-mail address',
    children: [
      field({
        name: 'email',
        label: 'New e-mail address',
        type: 'email',
        value: typed(view, 'profile', 'email'),
        autocomplete: 'email',
        isRequired: true,
        maxLength: 254,
      }),
      profile.hasPassword &&
        field({
          name: 'password',
          id: 'email-password',
          label: 'Your password',
          type: 'password',
          autocomplete: 'current-password',
          isRequired: true,
          maxLength: 1024,
        }),
      button('Change the address', { kind: 'plain' }),
    ],
  })
  const areMailsOn = profile.mails === 'on'
  const mailsForm = form({
    action: actionOf(view, 'profile', 'mails'),
    label: 'Mails about photos',
    children: [
      hidden('mails', areMailsOn ? 'off' : 'on'),
      button(areMailsOn ? 'Turn the mails off' : 'Turn the mails on', { kind: 'plain' }),
    ],
  })
  return sectionCard(view, {
    name: 'profile',
    title: 'Profile',
    body: html`<dl class="facts">
        <dt>Account</dt>
        <dd class="number">${String(profile.id)}</dd>
        <dt>Name</dt>
        <dd>${profile.displayName}</dd>
        <dt>E-mail</dt>
        <dd>
          ${profile.email}
          ${
            profile.emailVerifiedAt === null
              ? html`<span class="muted">(not confirmed)</span>`
              : html`<span class="muted">(confirmed)</span>`
          }
        </dd>
        <dt>Role</dt>
        <dd>${roleNames[person.role]}${trailsOf(view)}</dd>
        <dt>Since</dt>
        <dd>${time(profile.createdAt)}</dd>
        <dt>Mails about photos</dt>
        <dd>${areMailsOn ? 'On' : 'Off'}</dd>
      </dl>
      ${fold('Change your name', { isOpen: isProblem && !isEmail, body: nameForm })}
      ${fold('Change your e-mail address', { isOpen: isEmail, body: emailForm })}
      ${fold('Mails about photos', { isOpen: false, body: mailsForm })}`,
  })
}

export function passwordSection(view: AccountView): Html {
  const { hasPassword } = view.profile
  const change = form({
    action: actionOf(view, 'password', 'password'),
    label: 'Password',
    children: [
      accountHint(view.profile.email),
      hasPassword &&
        field({
          name: 'current',
          label: 'Your present password',
          type: 'password',
          autocomplete: 'current-password',
          isRequired: true,
          maxLength: 1024,
        }),
      newPasswordField('New password'),
      button(hasPassword ? 'Change the password' : 'Set the password', { kind: 'plain' }),
    ],
  })
  return sectionCard(view, {
    name: 'password',
    title: 'Password',
    body: html`<p>
        ${
          hasPassword
            ? 'Changing it signs out every other browser.'
            : 'You have no password yet: you sign in without one.'
        }
      </p>
      ${fold(hasPassword ? 'Change your password' : 'Set a password', {
        isOpen: view.problem?.section === 'password',
        body: change,
      })}`,
  })
}
