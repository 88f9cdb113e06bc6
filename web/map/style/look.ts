// What determines the look of a map besides its data: colours, units and the user's language.
import type { Preferences } from '../../ui/preferences.ts'
import type { ColourScheme } from '../colours.ts'

export interface MapLook {
  readonly scheme: ColourScheme
  readonly units: Preferences['units']
  /** As in the tile field `name:de`. */
  readonly language: string
}
