// Every German text of the server's own pages and mails.
import type { Tools } from '../../shared/text/plurals.ts'
import type { Texts } from '../en/english.ts'
import { applications } from './applications.ts'
import { details } from './details.ts'
import { decisionMails, signInMails } from './mails.ts'
import { documents, frame } from './pages.ts'
import { refusals } from './refusals.ts'
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
    applications,
    webApp: webApp(tools),
    refusals,
  }
}
