// Every English text of the server's own pages and mails.
import { refusals, type RefusalCode } from '../../errors.ts'
import type { Tools } from '../../shared/text/plurals.ts'
import { access } from './access.ts'
import { applications } from './applications.ts'
import { details } from './details.ts'
import { limits } from './limits.ts'
import { decisionMails, signInMails } from './mails.ts'
import { documents, frame } from './pages.ts'
import { review } from './review.ts'
import { signIn } from './sign-in.ts'
import { webApp } from './web-app.ts'

/** What people read of a refusal. The problem documents have the title in English in every language (contract C37). */
export interface RefusalText {
  readonly title: string
  readonly detail: string
  readonly help: string
}

export function englishTexts(tools: Tools) {
  return {
    frame,
    documents,
    signIn,
    signInMails,
    decisionMails: decisionMails(tools),
    details: details(tools),
    access,
    limits,
    review,
    applications,
    webApp: webApp(tools),
    refusals: refusals as Readonly<Record<RefusalCode, RefusalText>>,
  }
}

export type Texts = ReturnType<typeof englishTexts>
