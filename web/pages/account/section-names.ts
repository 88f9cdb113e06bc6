// The account sections in display order; their names are part of their URLs.

export const sectionGroups = [
  { group: 'you', names: ['profile', 'password', 'passkeys', 'sessions'] },
  { group: 'access', names: ['applications', 'devices', 'keys', 'developer', 'webhooks'] },
  { group: 'data', names: ['zones', 'data', 'leave'] },
] as const

export type SectionName = (typeof sectionGroups)[number]['names'][number]

export const sectionNames: readonly SectionName[] = sectionGroups.flatMap<SectionName>(({ names }) => names)

/** @returns the first section if the URL names none; undefined if it names an unknown one. */
export function sectionIn(text: string | undefined): SectionName | undefined {
  return text === undefined ? sectionNames[0] : sectionNames.find((name) => name === text)
}

/** The next or previous section, wrapping around. */
export function sectionBeside(name: SectionName, step: 1 | -1): SectionName {
  const at = sectionNames.indexOf(name) + step
  return sectionNames.at(at % sectionNames.length) ?? name
}
