// The keys of the review page, registered for the shortcut list under `?`.
import { reviewStrings as strings } from '../../../strings/review.ts'
import type { Shortcut } from '../../../ui/keys/shortcut-registry.ts'
import { useShortcuts } from '../../../ui/keys/shortcuts.tsx'
import { useDesk } from './desk-context.tsx'
import { useActs } from '../decisions/use-acts.ts'

type Run = Shortcut['run']

/** A dialog handles its own keys; the command palette, already closed, sends an event without a target. */
const outside =
  (run: Run): Run =>
  (event) => {
    const { target } = event
    if (target instanceof Element && target.closest('[role=dialog]') !== null) return
    run(event)
  }

/** Only these keys repeat while held: if `a` did, holding it a moment too long would approve several photos. */
const step = (keys: string, label: string, run: Run): Shortcut => ({ keys, label, run: outside(run) })

const key = (keys: string, label: string, run: Run): Shortcut =>
  step(keys, label, (event) => {
    if (!event.repeat) run(event)
  })

export function useDeskKeys(): void {
  const acts = useActs()
  const desk = useDesk()
  const { actions, keyLabels } = strings
  const shortcuts: readonly Shortcut[] = [
    key('a', keyLabels.approve, acts.yes),
    key('r', keyLabels.reject, acts.reject),
    key('x', keyLabels.remove, acts.remove),
    key('o', keyLabels.reopen, acts.reopen),
    key('s', keyLabels.skip, acts.skip),
    key('u', keyLabels.undo, acts.undo),
    step('j', actions.next, () => desk.step(1)),
    step('k', actions.previous, () => desk.step(-1)),
    key('e', actions.edit, acts.edit),
    key('n', actions.note, acts.note),
    key('z', actions.zoom, acts.zoom),
    key('c', actions.compare, acts.compare),
    key('h', actions.history, acts.history),
    key('d', actions.dismiss, acts.dismiss),
    key('t', keyLabels.takeOver, acts.takeOver),
    key('Space', actions.select, acts.select),
    key('Shift+A', actions.approveSelected, acts.approveSelected),
    key('Shift+R', actions.rejectSelected, acts.rejectSelected),
    key('Escape', actions.leave, acts.leave),
  ]
  useShortcuts(strings.keys, desk.dialog === undefined ? shortcuts : [])
}
