// /account/clients: registering an application of one's own on a page, and the page on which one is changed or removed.
import { randomUUID } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isScope } from '../auth/scopes.ts'
import { refusals } from '../errors.ts'
import { readForm } from '../http/form-body.ts'
import { pageAccess, personOf, viewerOf } from '../sign-in/page-parts.ts'
import { toldRefusal, type AccountPage, type Fields, type PathWords } from './account-page.ts'
import type { PageProblem } from './account-view.ts'
import type { Once } from './once.ts'
import type { OwnClients } from './own-clients.ts'
import type { Person } from '../sign-in/page-parts.ts'
import { clientPage, clientSecretPage } from './sections/clients.ts'

export interface ClientPagesDependencies {
  readonly account: AccountPage
  readonly ownClients: OwnClients
  readonly once: Once
}

function wantedIn(fields: Fields) {
  return {
    name: fields.get('name') ?? '',
    scopes: [...fields.keys()].filter(isScope),
    redirectUris: (fields.get('redirectUris') ?? '').split(/\s+/).filter((uri) => uri !== ''),
  }
}

export function registerClientPages(
  app: FastifyInstance,
  { account, ownClients, once }: ClientPagesDependencies,
): void {
  const { site } = account

  const onceFor = ({ accountId }: Person, path: string, fields: Fields) =>
    once({ accountId, path, key: fields.get('once'), body: null })

  async function show(
    person: Person,
    request: FastifyRequest<{ Params: PathWords }>,
    reply: FastifyReply,
    problem?: Omit<PageProblem, 'section'>,
  ): Promise<FastifyReply> {
    const client = await ownClients.require(person.accountId, request.params.clientId)
    return site.send(reply, {
      title: client.name,
      status: problem === undefined ? 200 : refusals[problem.refusal.code].status,
      viewer: viewerOf(request),
      body: clientPage(site, client, { role: person.role, once: randomUUID(), problem }),
    })
  }

  account.form(app, '/account/clients', 'clients', async (person, fields) => {
    const wanted = { ...wantedIn(fields), isPublic: fields.has('isPublic') }
    const { clientId, clientSecret } = await ownClients.register(
      person,
      wanted,
      onceFor(person, '/account/clients', fields),
    )
    return {
      title: 'Your application is registered',
      body: clientSecretPage(site, { clientId, clientSecret }),
    }
  })

  account.page(app, '/account/clients/:clientId', (person, request, reply) => show(person, request, reply))

  // Not by account.form: what could not be taken is shown again on the page of the application.
  app.post<{ Params: PathWords }>(
    '/account/clients/:clientId/change',
    { config: pageAccess },
    async (request, reply) => {
      const person = personOf(request.actor)
      if (!person) return reply.redirect(site.href('/sign-in?next=/account'), 303)
      const fields = await readForm(request)
      try {
        await ownClients.change(person, request.params.clientId, wantedIn(fields))
      } catch (error) {
        return show(person, request, reply, { refusal: toldRefusal(error), fields })
      }
      return account.goBack(reply, 'client-changed')
    },
  )

  account.form(app, '/account/clients/:clientId/secret', 'clients', async (person, fields, { clientId }) => {
    const alongside = onceFor(person, `/account/clients/${clientId}/secret`, fields)
    const clientSecret = await ownClients.rotateSecret(person, clientId, alongside)
    return { title: 'The new secret', body: clientSecretPage(site, { clientId, clientSecret }) }
  })

  account.form(app, '/account/clients/:clientId/remove', 'clients', async (person, _fields, { clientId }) => {
    await ownClients.remove(person, clientId)
    return 'client-removed'
  })
}
