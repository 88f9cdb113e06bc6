// Rules that endpoints check themselves, with messages of their own, as JSON Schema: for the OpenAPI document only
// (decision 0132).
//
// A rule under `x-openapi-only` is merged into the schema in the document. Bodies are not validated by it, so that a
// refusal can name the point that is wrong instead of a pattern.

/** @param rule keywords of JSON Schema. */
export const openapiOnly = (rule: object): { readonly 'x-openapi-only': object } => ({
  'x-openapi-only': rule,
})

/** Names of keys, applications and passkeys (auth/visible-name.ts). */
export const visibleNameRule = {
  minLength: 1,
  maxLength: 200,
  pattern: String.raw`^[^\p{C}\p{Zl}\p{Zp}]*[^\p{C}\p{Z}][^\p{C}\p{Zl}\p{Zp}]*$`,
}

/** One line of text that shows something. */
export const lineRule = {
  pattern: String.raw`^[^\p{C}\p{Zl}\p{Zp}]*[\p{L}\p{N}][^\p{C}\p{Zl}\p{Zp}]*$`,
}

const fit = String.raw`[^\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]`

/** What a site and its links are called (requireLine in site-settings/branding/chosen.ts). */
export const brandLineRule = {
  pattern: String.raw`^${fit}*[^\p{Z}\p{C}\p{M}\s\u2800\u3164\u115f\u1160\uffa0]${fit}*$`,
}

/** Display names: no control characters, not only blanks. */
export const displayNameRule = {
  minLength: 1,
  maxLength: 256,
  pattern: String.raw`^[^\p{Cc}\ufffe\uffff]*[^\p{Cc}\s\ufffe\uffff][^\p{Cc}\ufffe\uffff]*$`,
}

/** Text of any lines, not only of blanks. */
export const notBlank = String.raw`^[^\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]*[^\x00-\x1f\s\ufffe\uffff][^\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]*$`

/** 254 as RFC 5321 has it. */
export const emailRule = { format: 'email', maxLength: 254 }

/** A link that may be followed: no script. */
export const linkRule = { format: 'uri', maxLength: 2_000, pattern: '^https?://' }

/** What isBrandLink (shared/brand-links.ts) lets stand in a footer. */
export const footerLinkRule = {
  format: 'uri-reference',
  maxLength: 500,
  pattern: '^(?:https?://|mailto:|/(?:[^/]|$))',
}

export const redirectUriRule = { format: 'uri', maxLength: 2_000, pattern: '^https?://' }

export const passwordRule = { minLength: 8, maxLength: 1_024 }

const position = {
  type: 'array',
  prefixItems: [
    { type: 'number', minimum: -180, maximum: 180 },
    { type: 'number', minimum: -90, maximum: 90 },
    { type: 'number' },
  ],
  minItems: 2,
  maxItems: 3,
}
const line = { type: 'array', items: { title: 'Position', ...position }, minItems: 2 }

const geometryOf = (type: string, coordinates: object) => ({
  title: `Sent${type}`,
  type: 'object',
  properties: { type: { const: type }, coordinates },
  required: ['type', 'coordinates'],
})

export const lineGeometryRule = {
  oneOf: [
    geometryOf('LineString', line),
    geometryOf('MultiLineString', { type: 'array', items: line, minItems: 1 }),
  ],
}
export const sentGeometryRule = { oneOf: [...lineGeometryRule.oneOf, { type: 'null' }] }

/** Two fields that are one position: both known, both unknown, or neither sent. */
export function together(
  known: readonly [object, object],
  unknown: object,
  ofPosition: readonly string[] = [],
) {
  const names = ['lat', 'lon']
  const nothing = Object.fromEntries(ofPosition.map((name) => [name, { type: 'null' }]))
  return {
    anyOf: [
      { properties: { lat: known[0], lon: known[1] }, required: names },
      { properties: { lat: unknown, lon: unknown, ...nothing }, required: names },
      { properties: { lat: false, lon: false, ...nothing } },
    ],
  }
}
