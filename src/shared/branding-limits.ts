// How much may be chosen of how a site looks: for the schemas, and for forms, which load none of them.
export const maxBrandNameLength = 60
export const maxFooterTextLength = 500
export const maxFooterLinks = 6
export const maxFooterLabelLength = 40
/** Of the files that are sent. */
export const maxLogoBytes = 256 * 1024
export const maxFaviconBytes = 64 * 1024
