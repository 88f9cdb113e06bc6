// The name of the privacy zones among what is fetched.
import { keys } from '../../../data/keys.ts'

export const zonesKey = [...keys.me, 'zones'] as const
