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
import { footerLinkRule, lineRule, told } from './told-rules.ts'

const link = Type.Object(
  {
    label: Type.String({ minLength: 1, maxLength: maxFooterLabelLength, ...told(lineRule) }),
    url: Type.String({
      maxLength: maxBrandUrlLength,
      ...told(footerLinkRule),
      description: 'An https:, http: or mailto: address, or a path of this site that begins with one slash.',
    }),
  },
  strict,
)

export const BrandFooter = Type.Object(
  {
    text: Type.String({ maxLength: maxFooterTextLength, description: 'Plain text; may be empty.' }),
    links: Type.Array(link, { maxItems: maxFooterLinks }),
  },
  { ...strict, title: 'BrandFooter' },
)

const accent = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  ...told({ pattern: '^#[0-9a-fA-F]{6}$' }),
  description:
    'As #rrggbb; null for the colours of Waymark. Where it is not legible, pages use the nearest shade of it that is.',
})

/** What an admin chooses. */
export const NewBranding = Type.Object(
  {
    name: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      minLength: 1,
      maxLength: maxBrandNameLength,
      ...told(lineRule),
      description: 'Of the site; null for that of the setting SITE_NAME.',
    }),
    accent,
    footer: BrandFooter,
  },
  { ...strict, title: 'NewBranding' },
)
export type NewBranding = Static<typeof NewBranding>

const logo = textOrNull('Address of the logo, a PNG; null for that of Waymark.')

export const Branding = Type.Object(
  {
    ...NewBranding.properties,
    defaultName: Type.String({ description: 'The setting SITE_NAME.' }),
    logo,
    favicon: textOrNull('Address of the icon of browser tabs, a PNG; null for the logo or that of Waymark.'),
    changedAt: timestampOrNull('When any of it was last changed, UTC.'),
  },
  { ...strict, title: 'Branding' },
)
export type Branding = Static<typeof Branding>

/** What is public. */
export const SiteBranding = Type.Object(
  {
    logo,
    logoRatio: Type.Union([Type.Number(), Type.Null()], {
      description: 'Its width by its height; of 2 or more it stands for the name, too.',
    }),
    accent,
    footer: BrandFooter,
  },
  strict,
)
export type SiteBranding = Static<typeof SiteBranding>
