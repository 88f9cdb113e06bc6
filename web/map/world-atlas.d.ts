// Types for the outlines: otherwise the compiler would read a megabyte of numbers to infer them.
declare module 'world-atlas/countries-110m.json' {
  import type { GeometryCollection, Topology } from 'topojson-specification'

  const world: Topology<{ land: GeometryCollection; countries: GeometryCollection }>
  export default world
}

declare module 'world-atlas/countries-50m.json' {
  export { default } from 'world-atlas/countries-110m.json'
}
