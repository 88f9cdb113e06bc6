// The outlines as what they are: the compiler would otherwise read a megabyte of numbers to learn it.
declare module 'world-atlas/countries-110m.json' {
  import type { GeometryCollection, Topology } from 'topojson-specification'

  const world: Topology<{ land: GeometryCollection; countries: GeometryCollection }>
  export default world
}

declare module 'world-atlas/countries-50m.json' {
  export { default } from 'world-atlas/countries-110m.json'
}
