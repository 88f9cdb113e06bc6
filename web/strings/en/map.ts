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
      `The map style loads from ${origins}, which this site’s security policy blocks. Add it to the setting MAP_STYLE_ORIGINS. Only reviewers and admins see this message.`,
    troubles: {
      'style-unread':
        'The map style of this site could not be loaded, so the built-in map is shown. “waymark doctor” shows the reason. Only reviewers and admins see this message.',
      'tiles-unread':
        'The base map of this site could not be loaded, so the built-in map is shown. “waymark doctor” shows the reason. Only reviewers and admins see this message.',
      'file-unread':
        'The map file of this site could not be read, so the built-in map is shown. Only reviewers and admins see this message.',
      'file-foreign':
        'The map file of this site has no layers that Waymark can draw (it draws Protomaps tiles and images), so the built-in map is shown. Only reviewers and admins see this message.',
      'relief-unread':
        'The terrain file of this site could not be read, so the map has no contour lines. Only reviewers and admins see this message.',
    },
    notLoaded: 'The map could not be loaded.',
  }

  return { mapStrings }
}

export type MapCatalogue = ReturnType<typeof catalogue>
