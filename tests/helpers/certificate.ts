// A self-signed certificate for a test (X.509 v3, one name, valid for a day). It is encoded here because Node cannot
// create one.
import { generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto'

const tagged = (tag: number, ...parts: readonly Buffer[]): Buffer => {
  const content = Buffer.concat(parts)
  const { length } = content
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}
const sequence = (...parts: readonly Buffer[]) => tagged(0x30, ...parts)
const object = (hex: string) => tagged(0x06, Buffer.from(hex, 'hex'))
const bitString = (bytes: Buffer) => tagged(0x03, Buffer.from([0]), bytes)
const octets = (bytes: Buffer) => tagged(0x04, bytes)
const time = (at: number) =>
  tagged(0x18, Buffer.from(new Date(at).toISOString().replaceAll(/[-:T]|\.\d+/g, '')))

const ecdsaWithSha256 = sequence(object('2a8648ce3d040302'))
const commonName = (name: string) =>
  sequence(tagged(0x31, sequence(object('550403'), tagged(0x0c, Buffer.from(name)))))
const dayMs = 86_400_000

export interface TestCertificate {
  readonly key: KeyObject
  /** PEM. */
  readonly cert: string
}

export function certificateFor(host: string): TestCertificate {
  const { privateKey: key, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const alternativeName = sequence(object('551d11'), octets(sequence(tagged(0x82, Buffer.from(host)))))
  const now = Date.now()
  const unsigned = sequence(
    tagged(0xa0, tagged(0x02, Buffer.from([2]))),
    tagged(0x02, Buffer.from([1, ...randomBytes(8)])),
    ecdsaWithSha256,
    commonName(host),
    sequence(time(now - dayMs / 2), time(now + dayMs / 2)),
    commonName(host),
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, sequence(alternativeName)),
  )
  const bytes = sequence(unsigned, ecdsaWithSha256, bitString(sign('sha256', unsigned, key)))
  const lines = bytes.toString('base64').replaceAll(/.{64}/g, '$&\n')
  return { key, cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n` }
}
