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
        about:
          'Roads, paths, peaks and names of your region. Nobody but this server learns what visitors look at.',
      },
      none: {
        label: 'No map',
        about: 'Only the outlines of the land. Nobody but this server learns what visitors look at.',
      },
    },
    aProvider: 'its provider',
    style: 'Style',
    ownStyle: 'Another style',
    url: 'Style URL',
    urlHint: 'Of a MapLibre style, https. The server reads it once, to allow what it loads.',
    save: 'Use this map',
    unchanged: 'This is the current map.',
    saved: 'The map has changed.',
    chosen: (at: string) => `Chosen on ${at}.`,
    bySettings: 'Set by the settings of the server. What you choose here counts more.',
    nobody: 'Nobody has chosen a map yet.',
    settingsSay: {
      style: (url: string) => `The settings of the server say: the style ${url}.`,
      file: 'The settings of the server say: the map file.',
      none: '',
    },
    origins: (origins: string) => `Pages may load from ${origins}.`,
    open: 'Pages that are open now change when they are reloaded.',
    preview: 'How it looks',
    previewMap: 'Map of the site, as visitors see it',
    files: 'Map files',
    base: 'Map',
    terrain: 'Terrain, for hillshade and contour lines',
    noFile: 'Not there yet.',
    fileOf: (tiles: string, zooms: string, size: string) => `${tiles}, zoom ${zooms}, ${size}`,
    tiles: { vector: 'Vector tiles', images: 'Images' } as Readonly<Record<string, string>>,
    bounds: (box: string) => `Region: ${box} (west, south, east, north)`,
    attribution: (text: string) => `Attribution: ${text}`,
    make: 'This command on the server makes one of the region around all trails:',
    makeTerrain: 'And this one the terrain:',
    makeAnywhere: 'No trail has a line yet: put the region into the command yourself.',
    copy: 'Copy command',
    guide: 'Where archives are, and what else the command can do',
  }
  return { adminMap }
}

export type AdminMapCatalogue = ReturnType<typeof catalogue>
