// TypeBox schemas of how the site looks: what admins choose, and what is public (contract, Part D).
import { Type, type Static } from 'typebox'
import { maxBrandUrlLength } from '../brand-links.ts'
import {
  maxBrandNameLength,
  maxFooterLabelLength,
  maxFooterLinks,
  maxFooterTextLength,
} from '../branding-limits.ts'
import { strict, textOrNull, timestampOrNull } from './schema-parts.ts'
import { brandLineRule, footerLinkRule, openapiOnly } from './openapi-rules.ts'

const maxLabel = { minLength: 1, maxLength: maxFooterLabelLength }
const maxUrl = { maxLength: maxBrandUrlLength }
const leadsTo = {
  description: 'An https:, http: or mailto: address, or a path of this site that begins with one slash.',
}
const text = Type.String({ maxLength: maxFooterTextLength, description: 'Plain text; may be empty.' })

const link = Type.Object(
  { label: Type.String(maxLabel), url: Type.String({ ...maxUrl, ...leadsTo }) },
  strict,
)
export const BrandFooter = Type.Object(
  { text, links: Type.Array(link, { maxItems: maxFooterLinks }) },
  { ...strict, title: 'BrandFooter' },
)

/** What is sent: a client that obeys it is never refused. What is answered may be more, since URLs are judged more widely. */
const newLink = Type.Object(
  {
    label: Type.String({ ...maxLabel, ...openapiOnly(brandLineRule) }),
    url: Type.String({ ...maxUrl, ...openapiOnly(footerLinkRule), ...leadsTo }),
  },
  strict,
)
const NewBrandFooter = Type.Object(
  { text, links: Type.Array(newLink, { maxItems: maxFooterLinks }) },
  { ...strict, title: 'NewBrandFooter' },
)

const accent = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  ...openapiOnly({ pattern: '^#[0-9a-fA-F]{6}$' }),
  description:
    'As #rrggbb; null for the colours of Waymark. Where it would not be legible, pages use its nearest legible shade.',
})

/** What an admin chooses. */
export const NewBranding = Type.Object(
  {
    name: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      minLength: 1,
      maxLength: maxBrandNameLength,
      ...openapiOnly(brandLineRule),
      description: 'Name of the site; null for the setting SITE_NAME.',
    }),
    accent,
    footer: NewBrandFooter,
  },
  { ...strict, title: 'NewBranding' },
)
export type NewBranding = Static<typeof NewBranding>

const logo = textOrNull('URL of the logo (PNG); null for the logo of Waymark.')

export const Branding = Type.Object(
  {
    ...NewBranding.properties,
    footer: BrandFooter,
    defaultName: Type.String({ description: 'The setting SITE_NAME.' }),
    logo,
    favicon: textOrNull(
      'URL of the icon for browser tabs (PNG); null for the logo of the site or of Waymark.',
    ),
    changedAt: timestampOrNull('When the branding was last changed (UTC).'),
  },
  { ...strict, title: 'Branding' },
)
export type Branding = Static<typeof Branding>

/** What is public. */
export const SiteBranding = Type.Object(
  {
    logo,
    logoRatio: Type.Union([Type.Number(), Type.Null()], {
      description: 'Width divided by height; from 2 on, the logo replaces the name.',
    }),
    accent,
    footer: BrandFooter,
  },
  strict,
)
export type SiteBranding = Static<typeof SiteBranding>
