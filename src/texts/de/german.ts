// Every German text of the server's own pages and mails.
import type { Tools } from '../../shared/text/plurals.ts'
import type { Texts } from '../en/english.ts'
import { access } from './access.ts'
import { applications } from './applications.ts'
import { details } from './details.ts'
import { limits } from './limits.ts'
import { decisionMails, signInMails } from './mails.ts'
import { documents, frame } from './pages.ts'
import { refusals } from './refusals.ts'
import { review } from './review.ts'
import { signIn } from './sign-in.ts'
import { webApp } from './web-app.ts'

export function germanTexts(tools: Tools): Texts {
  return {
    frame,
    documents,
    signIn,
    signInMails,
    decisionMails: decisionMails(tools),
    details: details(tools),
    access,
    limits: limits(tools),
    review,
    applications,
    webApp: webApp(tools),
    refusals,
  }
}
