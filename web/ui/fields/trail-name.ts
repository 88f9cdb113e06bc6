// How a trail is called where it is chosen. Two may have the same name; their slugs differ.
import { slugOf } from '../../../src/shared/trail-slug.ts'

/** `Rim Trail`, and `Rim Trail (rim-trail-4712)` for one whose name alone would not tell it from another. */
export const trailName = ({ name, slug }: { readonly name: string; readonly slug: string }): string =>
  slug === slugOf(name) ? name : `${name} (${slug})`
