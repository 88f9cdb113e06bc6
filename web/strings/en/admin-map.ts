// The texts of the admin page of the map.

export function catalogue() {
  const adminMap = {
    choose: 'Which map?',
    kinds: {
      style: {
        label: 'Online map',
        about: (provider: string) =>
          `Each visitor’s browser loads the map from ${provider}, which learns their IP address and the places they look at.`,
      },
      file: {
        label: 'Map file on this server',
        about: 'Roads, paths, peaks and names of your region. Only this server learns what visitors look at.',
      },
      none: {
        label: 'No map',
        about: 'Only country outlines. Only this server learns what visitors look at.',
      },
    },
    aProvider: 'its provider',
    style: 'Style',
    ownStyle: 'Another style',
    url: 'Style URL',
    urlHint:
      'An https URL of a MapLibre style. The server reads it once, to allow the origins that it loads from.',
    save: 'Use this map',
    unchanged: 'This is the current map.',
    saved: 'Map saved.',
    chosen: (at: string) => `Chosen on ${at}.`,
    bySettings: 'Chosen in the server settings. A choice here takes precedence.',
    nobody: 'No map has been chosen yet.',
    settingsSay: {
      style: (url: string) => `The server settings choose the style ${url}.`,
      file: 'The server settings choose the map file.',
      none: '',
    },
    origins: (origins: string) => `Pages may load from ${origins}.`,
    open: 'Pages that are open now change when they are reloaded.',
    preview: 'Preview',
    previewMap: 'Map of the site, as visitors see it',
    files: 'Map files',
    base: 'Map',
    terrain: 'Terrain, for hillshade and contour lines',
    noFile: 'No file yet.',
    fileOf: (tiles: string, zooms: string, size: string) => `${tiles}, zoom ${zooms}, ${size}`,
    tiles: { vector: 'Vector tiles', images: 'Images' } as Readonly<Record<string, string>>,
    bounds: (box: string) => `Region: ${box} (west, south, east, north)`,
    attribution: (text: string) => `Attribution: ${text}`,
    make: 'To create one for the region around all trails, run this command on the server:',
    makeTerrain: 'To create the terrain:',
    makeAnywhere: 'No trail has a line yet, so add the region to the command yourself.',
    copy: 'Copy command',
    guide: 'Where to find archives, and all options of the command',
  }
  return { adminMap }
}

export type AdminMapCatalogue = ReturnType<typeof catalogue>
