// Who may manage an account: the user in a browser, or the account's own client where that suffices.
import type { FastifyRequest } from 'fastify'
import type { Action } from '../auth/actions.ts'
import { accountOf, permit, type AccountActor } from '../auth/guard.ts'
import { refuse } from '../errors.ts'
import { personOf, type Person } from '../sign-in/page-parts.ts'

/** The account of the request, once the action is permitted. @throws refusals `forbidden`, `insufficient-scope`. */
export function permitted(request: FastifyRequest, action: Action): AccountActor {
  permit(request.actor, action)
  return accountOf(request.actor)
}

/** The person who is signed in, once the action, which only sessions may do, is permitted. @throws refusal `forbidden`. */
export function permittedPerson(request: FastifyRequest, action: Action): Person {
  permit(request.actor, action)
  const person = personOf(request.actor)
  if (!person) throw refuse('forbidden')
  return person
}
