// The texts of the admin page of how the site looks.
export function catalogue() {
  const branding = {
    name: 'Name of the site',
    nameHint: (standard: string) => `Leave empty for “${standard}” (SITE_NAME).`,
    accent: 'Accent colour',
    accentHint: 'For buttons, links and the logo, as #rrggbb. Leave empty for the green of Waymark.',
    accentWrong: 'Enter a colour as # and six digits, such as #1d6546.',
    accentPick: 'Choose the accent colour',
    logo: 'Logo',
    logoHint:
      'PNG, JPEG, WebP or SVG, up to 256 kB. It must be legible on light and dark backgrounds. A logo at least twice as wide as high replaces the name.',
    favicon: 'Icon',
    faviconHint:
      'PNG, JPEG, WebP or SVG, up to 64 kB, best square and at least 512 pixels wide: for browser tabs and home screens. Without one, the logo is used.',
    choose: 'Choose file',
    remove: 'Remove',
    current: (what: string) => `${what}, as it is now`,
    standard: 'Waymark’s own',
    unreadable: 'This browser cannot read the file as an image.',
    tooLarge: (size: string) => `The image is too large: at most ${size}.`,
    pictureSaved: (what: string) => `${what} saved`,
    pictureRemoved: (what: string) => `${what} removed`,
    footer: 'Footer text',
    footerHint: 'Plain text, such as who runs the site.',
    links: 'Footer links',
    linksHint:
      'Up to six, such as your imprint. Web addresses, mailto: addresses, or pages of this site, such as /routes.',
    label: 'Text',
    labelOf: (at: number) => `Text of link ${at}`,
    url: 'Address',
    urlOf: (at: number) => `Address of link ${at}`,
    urlWrong: 'Enter an address with https://, a mailto: address, or a path that begins with one slash.',
    labelWrong: 'Enter a text.',
    addLink: 'Add link',
    removeLink: (at: number) => `Remove link ${at}`,
    save: 'Save',
    saved: 'Branding saved',
    reset: 'Reset to defaults',
    unchanged: 'No changes.',
    preview: 'Preview',
    schemes: { light: 'Light', dark: 'Dark' },
    sampleLink: 'A link',
    sampleButton: 'A button',
    sampleChosen: 'Selected',
    sampleText: 'Photos of the trail, newest first.',
    contrast: 'Contrast',
    pairs: { accent: 'Shapes', 'on-accent': 'Text on buttons', link: 'Links', 'tint-text': 'Selected' },
    ratio: (ratio: string, needed: string) => `${ratio} : 1 (at least ${needed})`,
    adapted: (shade: string) => `Your colour would not be legible here, so the shade ${shade} is used.`,
    kept: 'Your colour is legible here as it is.',
  }
  return { branding }
}

export type BrandingCatalogue = ReturnType<typeof catalogue>
