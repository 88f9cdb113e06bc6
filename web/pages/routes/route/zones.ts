// The query key of the privacy zones.
import { keys } from '../../../data/keys.ts'

export const zonesKey = [...keys.me, 'zones'] as const
