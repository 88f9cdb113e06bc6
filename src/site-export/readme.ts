// README.txt of an export: what each of its files is.
import { writeTimestamp } from '../shared/v2/timestamps.ts'

export type Scope = 'public' | 'everything'

const shared = `trails.geojson   all trails with their lines and descriptions; "waymark trails import" reads it
trails.csv       trailID, name and slug of all trails; "waymark trails import" reads it`

const ofPublic = `${shared}
images.geojson   every published photo as a point, with the fields that visitors see
images.csv       the same as a table
photos/          the published photos in full size, as the site serves them: without position, camera serial
                 numbers and other private metadata; named by imageID
routes.csv       public routes
routes/          their GPX and GeoJSON, named by routeID: what visitors see, without what privacy zones hide`

const ofEverything = `${shared}
images.geojson   every photo as a point, in every state, the trash included, with everything that is stored
images.csv       the same as a table
photos/          the published photos in full size, as the site serves them; named by imageID
originals/       every photo as it was uploaded, byte for byte, with position and camera data; named by imageID
routes.csv       every route of every account
routes/          the GPX of each as it was uploaded, byte for byte, whether or not it can be read, and its
                 lines as GeoJSON; named by routeID. A route without GPX has no file
accounts.csv     every account. No passwords, keys or other secrets
zones.jsonl      privacy zones of all accounts
history.jsonl    every decision about every photo, oldest first
events.jsonl     the events in the feed, oldest first
reports.jsonl    visitors' reports of photos
audit.jsonl      the audit log, oldest first`

const conditions: Readonly<Record<Scope, string>> = {
  public: `It contains what any visitor of the site can see, and nothing else. Whether it may be published again
depends on the licence of each photo (the column licence).`,
  everything: `It contains private data: email addresses, homes, rejected photos. Keep it as safe as the server.
It is not a backup: it cannot be restored, since it does not contain passwords, keys, applications and settings.
Use "waymark backup" for that.`,
}

export const readme = (
  scope: Scope,
  site: string,
  madeAt: number,
): string => `${site}, exported on ${writeTimestamp(madeAt)}: ${scope === 'public' ? 'everything public' : 'everything'}.

${scope === 'public' ? ofPublic : ofEverything}
MISSING.txt      only if something could not be read: what, and why
SHA256SUMS       the SHA-256 of each file, for "sha256sum -c SHA256SUMS"
manifest.json    what the export contains: counts, documents, version and time

${conditions[scope]}

All rows are from one point in time, the start of the export. Text is UTF-8. GeoJSON is RFC 7946, one feature per
line; positions are degrees (WGS84), longitude first. CSV is RFC 4180; empty cells mean unknown; an apostrophe
at the beginning of a cell marks text that a spreadsheet would otherwise treat as a formula. JSONL has one JSON
object per line. Timestamps are RFC 3339 in UTC, but takenAt has the local UTC offset. Lengths of routes and
trails are in miles, heights in metres. Documents with more than 500,000 rows continue in files such as
images-2.csv.
`
