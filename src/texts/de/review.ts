// The German sentences on decisions that come too late or cannot be undone.
import type { Decision, ImageStatus } from '../../shared/image-states.ts'
import type { Happened } from '../en/review.ts'
import type { Texts } from '../en/english.ts'
import { timestamp } from './timestamp.ts'

const states: Readonly<Record<ImageStatus, string>> = {
  pending: 'wartet auf Prüfung',
  approved: 'ist veröffentlicht',
  rejected: 'ist abgelehnt',
  removed: 'ist zurückgezogen',
  deleted: 'ist gelöscht',
}

const decisions: Readonly<Record<Decision, string>> = {
  approve: '„Freigeben“',
  reject: '„Ablehnen“',
  remove: '„Zurückziehen“',
  restore: '„Wiederherstellen“',
  reopen: '„Erneut prüfen“',
}

const happened = ({ state, last }: Happened): string => {
  const since = last === undefined ? '' : ` (seit ${timestamp(last.at)}, durch ${last.displayName})`
  return `Das Foto ${states[state]}${since}`
}

export const review: Texts['review'] = {
  tooLate: (what, decision, possible) => {
    const others = possible.map((one) => decisions[one]).join(' oder ')
    return `${happened(what)}: ${decisions[decision]} ist nicht mehr möglich, nur noch ${others}.`
  },
  undoTooLate: (what) =>
    `${happened(what)}: Die Entscheidung, die du rückgängig machen willst, ist nicht mehr die letzte.`,
  noDecision: 'Über dieses Foto wurde noch nicht entschieden.',
  dismissed:
    'Seit der letzten Entscheidung wurden die Meldungen zu diesem Foto verworfen; geschlossene Meldungen bleiben geschlossen.',
  wasInTrash: 'Das Foto war seit der letzten Entscheidung im Papierkorb.',
  isUpdated: 'Titel, Bildunterschrift oder Position wurden seit der letzten Entscheidung geändert.',
  otherState: (state, expected) =>
    `Das Foto ${states[state]}, aber nach seinem Verlauf gilt: Es ${states[expected]}.`,
  claimed: (by, until) => `${by} bearbeitet dieses Foto noch bis ${timestamp(until)}.`,
  duplicate: 'Diese ID steht schon weiter oben in der Liste.',
  notPublished: 'Nur veröffentlichte Fotos lassen sich melden.',
  notDeleted: (state) => `Das Foto ${states[state]}: Es gibt nichts wiederherzustellen.`,
}
