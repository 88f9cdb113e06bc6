// Loads the app of a server-rendered page once the largest picture of the first screen has been painted (or the page,
// if it has none), after some seconds at the latest, and at once if the user touches the page.
const [early, app, ...others] = document.querySelector('meta[name="waymark-app"]')?.content.split(' ') ?? []
const maxWaitMs = 4_000
const inputs = ['pointerdown', 'keydown', 'focusin']
let isBegun = false

function begin() {
  if (isBegun) return
  isBegun = true
  for (const name of inputs) removeEventListener(name, begin, true)
  void import(early) // who is here
  for (const href of others) {
    const link = document.createElement('link')
    link.rel = 'modulepreload'
    link.href = href
    document.head.append(link)
  }
  void import(app)
}

/** After the frame that paints what has arrived. */
const soon = () => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(begin)))

function largestSeen() {
  const areas = [...document.images].map((image) => {
    const { top, left, width, height } = image.getBoundingClientRect()
    const isSeen = top < innerHeight && left < innerWidth
    return { image, area: isSeen ? width * height : 0 }
  })
  return areas.toSorted((one, other) => other.area - one.area).find(({ area }) => area > 0)?.image
}

for (const name of inputs) addEventListener(name, begin, { capture: true, once: true, passive: true })
setTimeout(begin, maxWaitMs)
const picture = largestSeen()
if (globalThis.waymarkPressed.size > 0) begin()
else if (picture === undefined) soon()
else picture.decode().then(soon, soon)
