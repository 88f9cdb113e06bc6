// Classifies IP addresses: which of them a webhook may reach (trust 56). Names are resolved before.
import ipaddr from 'ipaddr.js'

type Address = ReturnType<typeof ipaddr.parse>

/** `allowed` means that the operator listed it in WEBHOOK_ALLOW, private or not. */
export type AddressClass = 'public' | 'allowed' | 'refused'

/** The only addresses of IPv6 that were ever given out; what lies outside is special, or will be something one day. */
const globalUnicast = ipaddr.parseCIDR('2000::/3')
/** By these a network without IPv4 reaches the IPv4 address in the last 32 bits. */
const translated = ipaddr.parseCIDR('64:ff9b::/96')

function isWithin(address: Address, range: readonly [Address, number]): boolean {
  return address.kind() === range[0].kind() && address.match([range[0], range[1]])
}

/** The address that a packet would reach in the end. */
function innerOf(address: Address): Address {
  if (address instanceof ipaddr.IPv4) return address
  if (address.isIPv4MappedAddress()) return address.toIPv4Address()
  return isWithin(address, translated) ? new ipaddr.IPv4(address.toByteArray().slice(-4)) : address
}

function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false
  return address.kind() === 'ipv4' || isWithin(address, globalUnicast)
}

/** @param allow ranges (CIDR) of WEBHOOK_ALLOW; an address without bits is itself. */
export function createAddressPolicy(allow: readonly string[]) {
  const ranges = allow.map((text) => {
    const address = ipaddr.parse(text.split('/', 1)[0] ?? '')
    const whole = address.kind() === 'ipv4' ? 32 : 128
    return [address, text.includes('/') ? Number(text.split('/')[1]) : whole] as const
  })

  return {
    /** Whether the operator allows any at all, and with them plain http. */
    allowsSome: ranges.length > 0,

    classify: (text: string): AddressClass => {
      if (!ipaddr.isValid(text)) return 'refused'
      const outer = ipaddr.parse(text)
      const inner = innerOf(outer)
      if (ranges.some((range) => isWithin(outer, range) || isWithin(inner, range))) return 'allowed'
      return isPublic(inner) ? 'public' : 'refused'
    },
  }
}

export type AddressPolicy = ReturnType<typeof createAddressPolicy>
