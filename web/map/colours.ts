// The map's colours in light and dark, chosen by hand to match the palette of docs/identity.md, because a canvas
// cannot use CSS.
import type { LineTone, PointTone } from './kinds.ts'

export type ColourScheme = 'light' | 'dark'

export interface MapColours {
  readonly land: string
  readonly water: string
  /** Near a trail, where nothing else shows what is there. */
  readonly ground: string
  readonly coast: string
  readonly border: string
  readonly grid: string
  readonly text: string
  readonly halo: string
  readonly neighbour: string
  readonly casing: string
  readonly pointed: string
  readonly circle: string
  readonly cluster: string
  readonly onCluster: string
  readonly lines: Readonly<Record<LineTone, string>>
  readonly points: Readonly<Record<PointTone, string>>
}

export const mapColours: Readonly<Record<ColourScheme, MapColours>> = {
  light: {
    land: '#f6f3e9',
    water: '#d5e3e4',
    ground: '#e3ebd2',
    coast: '#a9bcb9',
    border: '#cbc4b0',
    grid: '#c9c8bb',
    text: '#3c4a42',
    halo: '#faf9f5',
    neighbour: '#6d9a83',
    casing: '#ffffff',
    pointed: '#b8530b',
    circle: '#84240f',
    cluster: '#1d6546',
    onCluster: '#ffffff',
    lines: { trail: '#1d6546', route: '#1d4a69', draft: '#b8530b', muted: '#7c877f' },
    points: { photo: '#1d6546', pending: '#7a5c00', bad: '#a5321d', you: '#1d4a69' },
  },
  dark: {
    land: '#1a231f',
    water: '#0d1719',
    ground: '#21342a',
    coast: '#3a4d4b',
    border: '#38443e',
    grid: '#333f39',
    text: '#c4cfc7',
    halo: '#131916',
    neighbour: '#4d8569',
    casing: '#0e1311',
    pointed: '#f3a85c',
    circle: '#f0917c',
    cluster: '#7fcca3',
    onCluster: '#0c1f15',
    lines: { trail: '#7fcca3', route: '#8fc1e3', draft: '#f3a85c', muted: '#8b9890' },
    points: { photo: '#7fcca3', pending: '#e3c46a', bad: '#f0917c', you: '#8fc1e3' },
  },
}
