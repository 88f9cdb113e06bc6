// What a map is drawn by besides its data: the colours, the units and the language of who looks.
import type { Preferences } from '../../ui/preferences.ts'
import type { ColourScheme } from '../colours.ts'

export interface MapLook {
  readonly scheme: ColourScheme
  readonly units: Preferences['units']
  /** As `name:de` has it in a tile. */
  readonly language: string
}
