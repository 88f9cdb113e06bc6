// What A2 and A3 say about fields in JSON: types, value formats, and how a violation is described.
import { isWholeNumber, named, shown, type Fields } from './readings.ts'

type JsonType = 'string' | 'number'

/** A2, in the order of its table; lat and lon, also strings, have a separate check. */
export const imageFields: Readonly<Record<string, JsonType>> = {
  caption: 'string',
  detailUrl: 'string',
  displayName: 'string',
  imageID: 'number',
  lat: 'string',
  lon: 'string',
  mimeType: 'string',
  postDate: 'string',
  submitterAcctID: 'number',
  title: 'string',
  trailID: 'number',
  trailName: 'string',
}

const { lat: _lat, lon: _lon, ...others } = imageFields
export const fieldsButCoordinates = others

const limits: Readonly<Record<string, number>> = { lat: 90, lon: 180 }
const hasType = (value: unknown, type: JsonType): boolean =>
  type === 'number' ? isWholeNumber(value) : typeof value === 'string'

const words: Readonly<Record<JsonType, string>> = { number: 'a whole number', string: 'a string' }

/** What is wrong with a field of an item. */
export function fieldBreach(
  item: Fields,
  word: 'image' | 'route',
  fields: Readonly<Record<string, JsonType>>,
): string | undefined {
  const wrong = Object.entries(fields).find(([name, type]) => !hasType(item[name], type))
  if (wrong === undefined) return undefined
  const [name, type] = wrong
  return `${named(word, item)} has ${name} ${shown(item[name])}, not ${words[type]}`
}

export function coordinateBreach(image: Fields): string | undefined {
  const wrong = Object.entries(limits).find(([name, limit]) => {
    const text = image[name]
    return typeof text !== 'string' || !/^-?\d+(?:\.\d+)?$/.test(text) || Math.abs(Number(text)) > limit
  })
  return (
    wrong &&
    `${named('image', image)} has ${wrong[0]} ${shown(image[wrong[0]])}, not a decimal number in a string`
  )
}

const timestampForm = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ$/
export const isTimestamp = (text: unknown): boolean =>
  typeof text === 'string' && timestampForm.test(text) && !Number.isNaN(Date.parse(text.replace(' ', 'T')))
