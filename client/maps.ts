// What a map shows: vector tiles of the listed photos and the trails.
import type { CallOptions, Transport } from './transport.ts'
import type { TileJson } from './types.ts'

export function createMapCalls(transport: Transport) {
  return {
    tileJson: (options?: CallOptions) => transport.request<TileJson>('GET', '/v2/tiles.json', options),
    /** One tile, as bytes to decode; map libraries fetch them by themselves, from `tileUrl`. */
    tile: async (place: { z: number; x: number; y: number }, options?: CallOptions): Promise<ArrayBuffer> => {
      const answer = await transport.request<Response>(
        'GET',
        `/v2/tiles/${place.z}/${place.x}/${place.y}.mvt`,
        {
          ...options,
          headers: { accept: '*/*' },
          as: 'response',
        },
      )
      return answer.arrayBuffer()
    },
    /** The template of the addresses, for a map's source. */
    tileUrl: () => `${transport.urlOf('/v2/tiles/')}{z}/{x}/{y}.mvt`,
  }
}
