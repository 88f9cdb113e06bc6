// When something was or ends, inside a German sentence: the server does not know the reader's time zone.

const format = new Intl.DateTimeFormat('de', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })

/** @param at milliseconds since 1970 UTC. */
export const timestamp = (at: number): string => `${format.format(at)} Uhr (UTC)`
