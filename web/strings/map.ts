// The words on and around every map.
export const mapStrings = {
  loading: 'The map is still loading',
  zoomIn: 'Nearer',
  zoomOut: 'Farther',
  attribution: 'Where this map comes from',
  withCtrl: 'Hold Ctrl while scrolling to zoom the map',
  withCommand: 'Hold ⌘ while scrolling to zoom the map',
  withTwoFingers: 'Move the map with two fingers',
  cannotDraw:
    'This browser cannot draw maps (it has no WebGL 2). All that is on the map is in the lists, too.',
  blocked: (origins: string) =>
    `The map style loads from ${origins}, which this site’s security policy blocks. Add it to the setting MAP_STYLE_ORIGINS. Only admins see this message.`,
  styleUnread:
    'The map style of the setting MAP_STYLE_URL could not be loaded, so the built-in map is shown. Run “waymark doctor” to find out why. Only admins see this message.',
  notLoaded: 'The map could not be loaded.',
} as const
