// Actions are shown before they are sent: while one is on its way, the browser asks the user before it closes the page.
import { inTurn } from './in-turn.ts'

let pending = 0

const askBeforeLeaving = (event: BeforeUnloadEvent): void => event.preventDefault()

export async function sendInTurn<Answer>(
  imageIds: readonly number[],
  send: () => Promise<Answer>,
): Promise<Answer> {
  pending += 1
  window.addEventListener('beforeunload', askBeforeLeaving)
  try {
    return await inTurn(imageIds, send)
  } finally {
    pending -= 1
    if (pending === 0) window.removeEventListener('beforeunload', askBeforeLeaving)
  }
}
