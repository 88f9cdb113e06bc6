// The words on and around every map.
export function catalogue() {
  const mapStrings = {
    loading: 'Loading map…',
    zoomIn: 'Zoom in',
    zoomOut: 'Zoom out',
    attribution: 'Map attribution',
    withCtrl: 'Hold Ctrl while scrolling to zoom the map',
    withCommand: 'Hold ⌘ while scrolling to zoom the map',
    withTwoFingers: 'Use two fingers to move the map',
    cannotDraw:
      'This browser cannot show maps because it lacks WebGL 2. The lists have the same information.',
    blocked: (origins: string) =>
      `The map style loads from ${origins}, which this site’s security policy blocks. Add it to the setting MAP_STYLE_ORIGINS. Only admins see this message.`,
    styleUnread:
      'The map style set in MAP_STYLE_URL could not be loaded, so the built-in map is shown. Run “waymark doctor” to find out why. Only admins see this message.',
    notLoaded: 'The map could not be loaded.',
  }

  return { mapStrings }
}

export type MapCatalogue = ReturnType<typeof catalogue>
