// The slug that the name of a trail gives, where nobody chose another.

/** Leaves room for `-` and an id. */
const maxOwnSlugLength = 180

/** A slug made of a name: `Rim Trail (North)` → `rim-trail-north`. Empty where the name holds no letter or digit. */
export function slugOf(name: string): string {
  return name
    .normalize('NFKD')
    .replaceAll(/\p{Mark}/gu, '')
    .toLowerCase()
    .replaceAll(/[^\p{Letter}\p{Number}]+/gu, '-')
    .slice(0, maxOwnSlugLength)
    .replaceAll(/^-|[^\p{Letter}\p{Number}]$/gu, '') // a hyphen, or half of the character that was cut
}
