// Oddities of a GPX document that do not make it invalid: each kind once, with its first location and its count.

export const gpxWarnings = {
  'byte-order-mark': 'The document starts with a byte-order mark',
  'encoding-ignored': 'The declared encoding is ignored: GPX is stored as UTF-8 text',
  'no-version': 'gpx has no version',
  'other-version': 'gpx has a version other than 1.0 and 1.1',
  'no-creator': 'gpx has no creator',
  'no-namespace': 'gpx has no namespace',
  'other-namespace': 'gpx has a namespace other than those of GPX 1.0 and 1.1',
  'undeclared-prefix': 'A prefix is not declared',
  'foreign-element': 'An element of another namespace outside extensions is ignored',
  'unknown-element': 'An element is in the wrong place and is ignored',
  'element-order': 'An element is in the wrong order',
  'number-with-exponent': 'A number has an exponent',
  'unreadable-elevation': 'An elevation is not a number from -100,000 to 100,000 and is ignored',
  'unreadable-time': 'A time cannot be parsed and is ignored',
  'time-without-zone': 'A time has no time zone and is read as UTC',
  more: 'There are more kinds of warnings',
} as const

export type GpxWarningCode = keyof typeof gpxWarnings

export interface GpxWarning {
  readonly code: GpxWarningCode
  /** One sentence. */
  readonly detail: string
  /** Line of the first occurrence, from 1. */
  readonly line: number
  readonly element: string
  readonly times: number
}

export interface GpxWarnings {
  readonly add: (code: GpxWarningCode, line: number, element: string) => void
  readonly all: () => readonly GpxWarning[]
}

/** Maximum number of warnings; one more says that there are others. */
const maxWarnings = 50

export function createGpxWarnings(): GpxWarnings {
  const kept = new Map<string, { code: GpxWarningCode; line: number; element: string; times: number }>()
  return {
    add(code, line, element) {
      const isFull = kept.size >= maxWarnings && !kept.has(`${code} ${element}`)
      const key = isFull ? 'more' : `${code} ${element}`
      const known = kept.get(key)
      if (known !== undefined) known.times += 1
      else kept.set(key, { code: isFull ? 'more' : code, line, element, times: 1 })
    },
    all: () =>
      [...kept.values()].map(({ code, line, element, times }) => {
        const where = `gpx line ${line}, element ${element}${times === 1 ? '' : `, ${times} times`}`
        return { code, detail: `${gpxWarnings[code]} (${where}).`, line, element, times }
      }),
  }
}
