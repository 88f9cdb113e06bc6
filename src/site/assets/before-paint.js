// Runs before the page of the web app is painted: sets its colours, and records clicks that come before the app has
// loaded.
// Colours are the user's choice, or else the system's; the app (Mantine) stores the choice under this name.
let chosen = null
try {
  chosen = localStorage.getItem('mantine-color-scheme-value')
} catch {
  // Storage is not allowed here.
}
const ofSystem = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
const isChosen = chosen === 'light' || chosen === 'dark'
document.documentElement.dataset.mantineColorScheme = isChosen ? chosen : ofSystem

// The app replays these clicks once it has loaded (web/rendering/pressed-before.ts). Links and forms work by
// themselves.
const pressed = new Set()
globalThis.waymarkPressed = pressed
const keep = ({ target }) => {
  const button = target instanceof Element && target.closest('button:not([type=submit]), [role=button]')
  if (button) pressed.add(button)
}
addEventListener('click', keep, true)
addEventListener('waymark:listening', () => removeEventListener('click', keep, true), { once: true })

// The last shortcut key, for the page to do once it can (web/ui/keys/early-key.ts).
const early = { last: undefined }
globalThis.waymarkKey = early
const keepKey = (event) => {
  if (!event.ctrlKey && !event.metaKey && !event.altKey && !event.repeat) early.last = event
}
addEventListener('keydown', keepKey, true)
early.end = () => removeEventListener('keydown', keepKey, true)
