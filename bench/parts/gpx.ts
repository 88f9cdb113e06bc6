// A track as a receiver records it: one point per line, with elevation and time.
const head =
  '<?xml version="1.0" encoding="UTF-8"?>\n<gpx version="1.1" creator="bench" xmlns="http://www.topografix.com/GPX/1/1">\n<trk><name>Bench</name><trkseg>\n'
const tail = '</trkseg></trk></gpx>\n'
const pointBytes = 110

/** @param seed a different seed gives a different track. */
export function gpxOf(bytes: number, seed: number): string {
  let text = head
  for (let index = 0; text.length + tail.length + pointBytes < bytes; index += 1) {
    const lat = (46 + index * 0.00011 + (seed % 97) * 0.001).toFixed(7)
    const lon = (7.4 + Math.sin(index / 50) * 0.01).toFixed(7)
    const time = new Date(Date.UTC(2026, 4, 14) + index * 1_000 + seed).toISOString()
    const elevation = (500 + Math.sin(index / 90) * 80).toFixed(2)
    text += `<trkpt lat="${lat}" lon="${lon}"><ele>${elevation}</ele><time>${time}</time></trkpt>\n`
  }
  return text + tail
}
