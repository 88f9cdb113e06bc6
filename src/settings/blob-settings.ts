// Reads BLOB_URL: where photos are stored, a folder or a bucket of an S3-compatible store (contract D2).
import path from 'node:path'

export interface FilesPlace {
  readonly store: 'files'
  readonly folder: string
}

export interface S3Place {
  readonly store: 's3'
  readonly bucket: string
  /** What all keys begin with, without slashes at its ends; empty for none. */
  readonly prefix: string
  /** undefined for AWS itself, in the region. */
  readonly endpoint: string | undefined
  /** undefined for what the SDK finds, such as in AWS_REGION. */
  readonly region: string | undefined
  /** Whether the bucket is named in the path of an address, and not in the name of the host. */
  readonly pathStyle: boolean
}

export type BlobPlace = FilesPlace | S3Place

const parameters = ['endpoint', 'region', 'path-style'] as const
const s3Form = 's3://<bucket>/<prefix>?endpoint=<url>&region=<name>&path-style=<true or false>'

function wrong(text: string): RangeError {
  return new RangeError(text)
}

function endpointOf(value: string): string {
  const url = URL.parse(value)
  // Odd names have got past certificates and resolvers (docs/supply-chain/advisories.json).
  const isPlainHost = /^(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])$/.test(url?.hostname ?? '')
  const isPlain = url && isPlainHost && /^https?:$/.test(url.protocol) && !url.username && !url.password
  if (!isPlain || url.search !== '' || url.hash !== '')
    throw wrong('must have an http or https URL without query, fragment or user as its endpoint')
  return url.href.endsWith('/') ? url.href.slice(0, -1) : url.href
}

function pathStyleOf(value: string): boolean {
  if (value !== 'true' && value !== 'false') throw wrong('must have path-style=true or path-style=false')
  return value === 'true'
}

function s3Place(value: string): S3Place {
  const url = URL.parse(value)
  if (!url || url.port !== '' || url.hash !== '') throw wrong(`must be ${s3Form}`)
  // Settings are printed by doctor, logged and shown to admins: no secret may be in this one.
  if (url.username !== '' || url.password !== '')
    throw wrong(
      'must not contain credentials; they come from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile, or a role',
    )
  for (const [name] of url.searchParams) {
    const isKnown = parameters.some((known) => known === name)
    if (!isKnown || url.searchParams.getAll(name).length > 1)
      throw wrong(`must have only the parameters ${parameters.join(', ')}, each once`)
  }
  const prefix = url.pathname.replace(/^\/|\/$/g, '')
  const words = prefix === '' ? [] : prefix.split('/')
  if (!/^[a-z0-9][a-z0-9.-]{2,62}$/.test(url.hostname) || !words.every((word) => /^[\w-][\w.-]*$/.test(word)))
    throw wrong(`must be ${s3Form}, with a plain bucket name and prefix`)
  const region = url.searchParams.get('region') ?? ''
  if (!/^[\w-]*$/.test(region)) throw wrong('must have a plain region name, such as eu-central-1')
  const endpoint = url.searchParams.get('endpoint')
  const pathStyle = url.searchParams.get('path-style')
  return {
    store: 's3',
    bucket: url.hostname,
    prefix,
    endpoint: endpoint === null ? undefined : endpointOf(endpoint),
    // By convention, stores without regions sign with this one.
    region: region || (endpoint === null ? undefined : 'us-east-1'),
    // AWS wants the name of the host; nearly every other store can be reached by the path, and few by names.
    pathStyle: pathStyle === null ? endpoint !== null : pathStyleOf(pathStyle),
  }
}

export function blobPlace(value: string): BlobPlace {
  if (/^file:./.test(value)) return { store: 'files', folder: path.resolve(value.slice('file:'.length)) }
  if (value.startsWith('s3:')) return s3Place(value)
  throw wrong(`must be file:<folder>, or ${s3Form}`)
}

/** The folder of uploads in progress if photos are stored in S3: one per server, which needs no backup. */
export const stagingFolder = (dataDir: string): string => path.join(dataDir, 'staged')

/** The folder on whose disk an upload needs room. */
export function folderOfUploads({
  dataDir,
  blobPlace: place,
}: {
  readonly dataDir: string
  readonly blobPlace: BlobPlace
}): string {
  return place.store === 'files' ? place.folder : stagingFolder(dataDir)
}

/** The place in a sentence. */
export const nameOfPlace = (place: BlobPlace): string =>
  place.store === 'files' ? place.folder : `s3://${[place.bucket, place.prefix].filter(Boolean).join('/')}`
