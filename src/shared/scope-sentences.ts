// What each OAuth scope lets an application do, in a sentence: where people are asked, and where they look it up later.
import type { Language } from './languages.ts'

const english = {
  'images:read': 'See your photos, including unpublished ones, and download the original files.',
  'images:write': 'Upload photos as you, and change or delete your photos.',
  'images:review': 'Approve, reject and edit photos of other people, as far as you may as a reviewer.',
  'routes:read': 'See your routes, including private ones.',
  'routes:write': 'Create, change and delete your routes.',
  'trails:write': 'Add, change, import and delete trails of this site, as far as you may as an admin.',
} as const

type Sentences = Readonly<Record<keyof typeof english, string>>

const german: Sentences = {
  'images:read':
    'Deine Fotos sehen, auch die noch nicht veröffentlichten, und die Originaldateien herunterladen.',
  'images:write': 'In deinem Namen Fotos hochladen und deine Fotos ändern oder löschen.',
  'images:review': 'Fotos anderer freigeben, ablehnen und bearbeiten, soweit du das beim Prüfen darfst.',
  'routes:read': 'Deine Routen sehen, auch die privaten.',
  'routes:write': 'Deine Routen erstellen, ändern und löschen.',
  'trails:write':
    'Wege dieser Website hinzufügen, ändern, importieren und löschen, soweit du das als Admin darfst.',
}

export const scopeSentences: Readonly<Record<Language, Sentences>> = { en: english, de: german }
