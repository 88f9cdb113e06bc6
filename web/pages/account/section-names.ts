// The parts of the account, in the order in which they are listed; their names are in their addresses.

export const sectionGroups = [
  { group: 'you', names: ['profile', 'password', 'passkeys', 'sessions'] },
  { group: 'access', names: ['applications', 'devices', 'keys', 'developer', 'webhooks'] },
  { group: 'data', names: ['zones', 'data', 'leave'] },
] as const

export type SectionName = (typeof sectionGroups)[number]['names'][number]

export const sectionNames: readonly SectionName[] = sectionGroups.flatMap<SectionName>(({ names }) => names)

/** @returns the first section if the address names none; undefined if it names an unknown one. */
export function sectionIn(text: string | undefined): SectionName | undefined {
  return text === undefined ? sectionNames[0] : sectionNames.find((name) => name === text)
}

/** One further or back, round the ends. */
export function sectionBeside(name: SectionName, step: 1 | -1): SectionName {
  const at = sectionNames.indexOf(name) + step
  return sectionNames.at(at % sectionNames.length) ?? name
}
