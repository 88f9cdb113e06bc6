// Puts the web app's colours on the page before anything is painted: those the person chose, else those of the system.
// Loaded ahead of everything else; the app (Mantine) keeps the choice under this name and goes on from here.
let chosen = null
try {
  chosen = localStorage.getItem('mantine-color-scheme-value')
} catch {
  // Storage is not allowed here.
}
const ofSystem = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
const isChosen = chosen === 'light' || chosen === 'dark'
document.documentElement.dataset.mantineColorScheme = isChosen ? chosen : ofSystem
