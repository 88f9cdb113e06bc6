// The actions of keys, buttons and the bottom bar on the current photo, or a message why they are not possible.
import { reviewStrings as strings } from '../../../strings/review.ts'
import { useToast } from '../../../ui/notices/toasts.tsx'
import { useDesk } from '../desk/desk-context.tsx'
import { canDecide, noOf, yesOf } from './decisions-here.ts'
import { titleOf } from './refusals.ts'
import { changeReviewSession } from './review-session-store.ts'
import { selectOnly, toggleSelected, type DeskItem } from './review-session.ts'

/** One of the presets; a site with its own reasons may have it, too. */
export const placeReason = 'place-unknown'

export const hasReports = ({ queue }: DeskItem): boolean => (queue?.reports.open ?? 0) > 0

/** Near duplicates, closest first. */
export function nearDuplicatesOf({ queue }: DeskItem): readonly number[] {
  const flags = queue?.flags.filter(({ code }) => code === 'near-duplicate' || code === 'same-bytes') ?? []
  return [...new Set(flags.flatMap(({ imageIDs = [] }) => imageIDs))]
}

export function useActs() {
  const desk = useDesk()
  const toast = useToast()
  const { photo, claim, decisions, bulk, setDialog, reviewSession, list } = desk
  const { item, etag } = photo

  const say = (message: string): void => toast({ key: 'review-refused', message })

  /** Runs it if there is a photo. */
  const withItem =
    (run: (here: DeskItem) => void): (() => void) =>
    () => {
      if (item) run(item)
      else say(strings.noPhoto)
    }

  /** Runs it if nobody else has claimed the photo. */
  const whereFree = (run: (here: DeskItem) => void): (() => void) =>
    withItem((here) => {
      if (claim.by === 'other') say(strings.claimedBy(titleOf(here), claim.displayName ?? strings.somebody))
      else run(here)
    })

  const hasSelection = reviewSession.selected.size > 0

  return {
    yes: whereFree((here) => {
      const decision = yesOf(here)
      if (decision) decisions.decide(here, decision, { etag })
      else if (hasReports(here)) setDialog('dismiss')
      else say(strings.cannotHere.approve)
    }),
    // Never unpublishes: someone else may have approved it at this very moment.
    reject: whereFree((here) => {
      if (canDecide(here, 'reject')) setDialog('reject')
      else say(strings.cannotHere.reject)
    }),
    /** Rejects a photo with this reason, since only the submitter knows where it was taken. */
    askPlace: whereFree((here) => decisions.decide(here, 'reject', { reason: placeReason, etag })),
    /** The button, labelled with the decision that applies. */
    no: whereFree((here) => setDialog(noOf(here))),
    remove: whereFree((here) => {
      if (canDecide(here, 'remove')) setDialog('remove')
      else say(strings.cannotHere.remove)
    }),
    reopen: whereFree((here) => {
      if (canDecide(here, 'reopen')) decisions.decide(here, 'reopen')
      else say(strings.cannotHere.reopen)
    }),
    skip: withItem((here) => decisions.skip(here)),
    edit: withItem(() => desk.startEditing()),
    select: withItem(({ imageID }) => changeReviewSession((before) => toggleSelected(before, imageID))),
    selectAll: () =>
      changeReviewSession((before) =>
        selectOnly(
          before,
          list.shown.map(({ imageID }) => imageID),
        ),
      ),
    clearSelection: () => changeReviewSession((before) => selectOnly(before, [])),
    approveSelected: () => void bulk.decideSelected([{ decision: 'approve', reason: undefined, note: '' }]),
    rejectSelected: () => {
      if (hasSelection) setDialog('reject-selected')
      else say(strings.nothingSelected)
    },
    compare: withItem((here) => {
      if (nearDuplicatesOf(here).length > 0) setDialog('compare')
      else say(strings.noDuplicates)
    }),
    dismiss: whereFree((here) => {
      if (hasReports(here)) setDialog('dismiss')
      else say(strings.noReports)
    }),
    takeOver: () => {
      if (claim.by === 'other') desk.takeOver()
      else say(strings.notTaken)
    },
    note: () => desk.noteField.current?.focus(),
    history: () => desk.setHistory((before) => !before),
    zoom: desk.toggleZoom,
    leave: () => {
      if (desk.isZoomed) desk.toggleZoom()
      else changeReviewSession((before) => selectOnly(before, []))
    },
    undo: () => decisions.undo(),
  }
}
