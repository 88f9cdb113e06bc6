// The colours of our own style of the base map, in light and dark. Trails and routes are drawn on top of it, so nothing
// here is a strong green.
import type { ColourScheme } from '../colours.ts'

interface Way {
  readonly fill: string
  readonly casing: string
}

export interface StyleColours {
  readonly land: string
  readonly farmland: string
  readonly forest: string
  readonly grass: string
  readonly scrub: string
  readonly rock: string
  readonly sand: string
  readonly ice: string
  readonly wetland: string
  readonly town: string
  readonly works: string
  readonly park: string
  readonly reserve: string
  readonly water: string
  readonly shore: string
  readonly building: string
  readonly wall: string
  readonly highway: Way
  readonly major: Way
  readonly minor: Way
  readonly path: string
  readonly pathCasing: string
  readonly rail: string
  readonly ferry: string
  readonly border: string
  readonly contour: string
  readonly contourName: string
  readonly shade: string
  readonly light: string
  readonly name: string
  readonly quietName: string
  readonly waterName: string
  readonly natureName: string
  readonly peak: string
  readonly halo: string
}

export const styleColours: Readonly<Record<ColourScheme, StyleColours>> = {
  light: {
    land: '#f6f3e9',
    farmland: '#f3efdc',
    forest: '#cfe0bd',
    grass: '#e2ecce',
    scrub: '#dbe5c4',
    rock: '#e6e1d6',
    sand: '#f2e8c6',
    ice: '#e9f3f6',
    wetland: '#d9e8df',
    town: '#ece7dc',
    works: '#e5e0da',
    park: '#d8e9c6',
    reserve: '#6f9a5c',
    water: '#b4d6e4',
    shore: '#5d9dba',
    building: '#ddd3c2',
    wall: '#c0b49e',
    highway: { fill: '#f0a868', casing: '#a8642c' },
    major: { fill: '#f9dc93', casing: '#a68736' },
    minor: { fill: '#ffffff', casing: '#a79d8a' },
    path: '#8a3b12',
    pathCasing: '#fdfaf1',
    rail: '#77757b',
    ferry: '#4d87a3',
    border: '#8d6f94',
    contour: '#a9713a',
    contourName: '#7d4d20',
    shade: '#4f4433',
    light: '#ffffff',
    name: '#26332b',
    quietName: '#4b554e',
    waterName: '#1c5573',
    natureName: '#34602a',
    peak: '#5c3413',
    halo: '#fcfaf3',
  },
  dark: {
    land: '#1a231f',
    farmland: '#1e2720',
    forest: '#1b3526',
    grass: '#203026',
    scrub: '#223226',
    rock: '#2a2f2c',
    sand: '#33322a',
    ice: '#2c3a40',
    wetland: '#1b302e',
    town: '#242b28',
    works: '#29302d',
    park: '#1e3a29',
    reserve: '#5d8a58',
    water: '#0e2c3a',
    shore: '#3d7f9c',
    building: '#343d38',
    wall: '#4a554f',
    highway: { fill: '#a9713d', casing: '#0c110f' },
    major: { fill: '#80703f', casing: '#0c110f' },
    minor: { fill: '#505c55', casing: '#0f1512' },
    path: '#e7a878',
    pathCasing: '#141b17',
    rail: '#89928d',
    ferry: '#5c9cba',
    border: '#a98cb2',
    contour: '#a87f54',
    contourName: '#d8b287',
    shade: '#000000',
    light: '#9fb3a8',
    name: '#e3ebe5',
    quietName: '#b6c2ba',
    waterName: '#9bd0e8',
    natureName: '#a3cf98',
    peak: '#ecc9a4',
    halo: '#111714',
  },
}
