// Downloads a list from the other server to a file, once: an interrupted pull finds it there when it resumes.
import { bodyFault, wholeBody, type Asking } from './asking.ts'
import { isBodyTooLong } from './bounded-body.ts'
import { isBrokenList } from './broken-list.ts'
import { readListFile } from './list-file.ts'
import type { LossCode } from './losses.ts'
import type { PullContext } from './pull-context.ts'
import type { StoredList } from './pull-state.ts'

export interface WantedList {
  /** Such as `trail 4711`. */
  readonly of: string
  readonly root: string
  readonly url: URL
  readonly bearer?: string
  readonly prefersXml: boolean
}

export type AskedList =
  | { readonly how: 'list'; readonly stored: StoredList; readonly count: number }
  | { readonly how: 'status'; readonly status: number; readonly text: string }
  | { readonly how: 'left'; readonly code: LossCode; readonly detail?: string }

const formats = (prefersXml: boolean): readonly [string, string] => {
  const [json, xml] = ['application/json', 'application/xml'] as const
  return prefersXml ? [`${xml}, ${json};q=0.5`, json] : [`${json}, ${xml};q=0.5`, xml]
}

/** The number of items. @throws brokenList. */
async function countItems({ file, contentType }: StoredList, root: string): Promise<number> {
  let count = 0
  for await (const _ of readListFile(file, { root, contentType })) count += 1
  return count
}

export async function askList({ state, asker }: PullContext, wanted: WantedList): Promise<AskedList> {
  const { of, root, url, bearer, prefersXml } = wanted
  let brokenTimes = 0

  async function check(stored: StoredList): Promise<AskedList | Error> {
    try {
      return { how: 'list', stored, count: await countItems(stored, root) }
    } catch (error) {
      if (!isBrokenList(error)) throw error
      await state.dropList(of)
      return error
    }
  }

  async function ask(accept: string): Promise<AskedList> {
    const asking: Asking = { url, accept, ...(bearer !== undefined && { bearer }) }
    const answered = await asker.ask(asking, async (incoming): Promise<AskedList> => {
      const type = incoming.headers.get('content-type') ?? ''
      let stored: StoredList
      try {
        stored = await state.keepList(of, type, wholeBody(incoming))
      } catch (error) {
        if (isBodyTooLong(error)) return { how: 'left', code: 'too-large' }
        throw error
      }
      const checked = await check(stored)
      if (!(checked instanceof Error)) return checked
      brokenTimes += 1
      // The first response may have been cut off. If a second one is the same, that is what the server has.
      if (brokenTimes === 1) throw bodyFault(`the list ${checked.message}`)
      return { how: 'left', code: 'list-unreadable', detail: `It ${checked.message}.` }
    })
    if (answered.how === 'taken') return answered.value
    if (answered.how === 'status') return answered
    return { how: 'left', code: 'unanswered', detail: `Last error: ${answered.why}.` }
  }

  const found = await state.findList(of)
  const checked = found && (await check(found))
  if (checked && !(checked instanceof Error)) return checked
  if (!(await state.beginAsk(of))) return { how: 'left', code: 'asked-twice' }
  const [first, other] = formats(prefersXml)
  const answered = await ask(first)
  const last = answered.how === 'status' && answered.status === 406 ? await ask(other) : answered
  state.endAsk(of)
  return last
}
