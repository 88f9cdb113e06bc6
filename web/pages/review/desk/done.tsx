// Nothing left: a kind word, and what was done in this sitting.
import { Button } from '@mantine/core'
import { reviewStrings as words } from '../../../strings/review.ts'
import { Empty } from '../../../ui/empty.tsx'
import { useDesk } from './desk-context.tsx'
import { countDecided, type Sitting } from '../decisions/sitting.ts'
import { locale } from '../../../strings/language.ts'

const list = new Intl.ListFormat(locale, { type: 'conjunction' })

/** `12 approved and 2 rejected`; empty where nothing was decided. */
function tellSitting(sitting: Sitting): string {
  const counts = countDecided(sitting)
  const { counts: tell } = words.empty
  return list.format(
    (['approve', 'reject', 'remove', 'restore', 'reopen'] as const).flatMap((decision) => {
      const count = counts[decision]
      return count === undefined ? [] : [tell[decision](count)]
    }),
  )
}

export function Done() {
  const { sitting, view, choose, decisions } = useDesk()
  const told = tellSitting(sitting)
  const isFiltered = view.show !== 'all' || view.trailId !== undefined || view.submitterId !== undefined
  const undo = sitting.entries.length > 0 && (
    <Button variant="default" rightSection={<kbd>u</kbd>} onClick={() => decisions.undo()}>
      {words.actions.undo}
    </Button>
  )
  if (isFiltered) {
    return (
      <Empty
        title={words.empty.filteredTitle}
        detail={view.show === 'sitting' ? words.empty.sitting : words.empty.filtered}
      >
        <Button onClick={() => choose({ show: 'all', trailId: null, submitterId: null })}>
          {words.empty.clear}
        </Button>
        {undo}
      </Empty>
    )
  }
  return (
    <Empty title={words.empty.title} detail={told === '' ? words.empty.first : words.empty.after(told)}>
      <Button variant="default" onClick={() => choose({ show: told === '' ? 'approved' : 'sitting' })}>
        {words.empty.decided}
      </Button>
      {undo}
    </Empty>
  )
}
