// Map data: vector tiles of the published photos and the trails.
import type { CallOptions, Transport } from './transport.ts'
import type { TileJson } from './types.ts'

export function createMapCalls(transport: Transport) {
  return {
    tileJson: (options?: CallOptions) => transport.request<TileJson>('GET', '/v2/tiles.json', options),
    /** One tile, as bytes to decode. Map libraries fetch tiles themselves, from `tileUrl`. */
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
    /** The URL template for a map source. */
    tileUrl: () => `${transport.urlOf('/v2/tiles/')}{z}/{x}/{y}.mvt`,
  }
}
