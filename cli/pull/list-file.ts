// Reads a stored list, JSON or XML, item by item: each as the texts of its fields.
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { detectXmlEncoding } from '../../src/shared/text/text-encoding.ts'
import { readingXmlText, type XmlElement } from '../../src/shared/xml/xml-reader.ts'
import { atOnce } from '../../src/shared/yielding.ts'
import { brokenList } from './broken-list.ts'
import { createJsonItems } from './json-items.ts'
import { createXmlItems } from './xml-items.ts'

/** The text of each field, numbers as written; null and missing fields are omitted. */
export type ListedFields = ReadonlyMap<string, string>

export interface ListForm {
  /** The name of an item in XML, such as `TrailImageDetails`; the list is `ArrayOf` that. */
  readonly root: string
  /** The Content-Type of the response. */
  readonly contentType: string
}

/** The first character decides if possible: servers declare text/html for both JSON and XML. */
const headBytes = 1_024

async function readHead(file: string): Promise<Buffer> {
  const handle = await open(file)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(headBytes), 0, headBytes, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}

const charsetOf = (contentType: string): string | undefined => /charset="?([\w-]+)/i.exec(contentType)?.[1]

/** Numbers as written: an ID beyond 2^53 and a coordinate with many digits must not lose precision. */
function numberAsText(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  return typeof value === 'number' ? (context?.source ?? String(value)) : value
}

function fieldsOfJson(text: string): ListedFields {
  let value: unknown
  try {
    value = JSON.parse(text, numberAsText)
  } catch {
    throw brokenList('is not JSON')
  }
  const entries = Object.entries(value as Record<string, unknown>)
  return new Map(entries.flatMap(([name, said]) => (typeof said === 'string' ? [[name, said]] : [])))
}

function fieldsOfXml(text: string): ListedFields {
  const read = atOnce(readingXmlText(text))
  if (!read.ok) throw brokenList(`is not XML: ${read.fault.detail}`)
  const [item] = read.value.children
  const isText = ({ nil, children }: XmlElement): boolean => !nil && children.length === 0
  const said = (item?.children ?? []).filter(isText)
  return new Map(said.map((element) => [element.name, element.text]))
}

interface Reader {
  readonly items: { take(text: string): Generator<string, void>; end(): void }
  readonly decoder: TextDecoder
  readonly fieldsOf: (text: string) => ListedFields
}

async function readerFor(file: string, { root, contentType }: ListForm): Promise<Reader> {
  const head = await readHead(file)
  const charset = charsetOf(contentType)
  const isXml = head
    .toString('latin1')
    .replaceAll('\0', '')
    .replace(/^[^\w<[{]+/, '')
    .startsWith('<')
  const encoding = isXml ? detectXmlEncoding(head, charset) : undefined
  if (encoding?.ok === false) throw brokenList('is in an encoding that is neither UTF-8 nor UTF-16')
  const decoder = new TextDecoder(encoding?.ok ? encoding.value : 'utf-8', { fatal: true })
  return isXml
    ? { items: createXmlItems(`ArrayOf${root}`), decoder, fieldsOf: fieldsOfXml }
    : { items: createJsonItems(), decoder, fieldsOf: fieldsOfJson }
}

function decode(decoder: TextDecoder, chunk: Buffer | undefined): string {
  try {
    return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true })
  } catch {
    throw brokenList('is not valid UTF-8')
  }
}

/** @throws brokenList. */
export async function* readListFile(file: string, form: ListForm): AsyncGenerator<ListedFields, void> {
  const { items, decoder, fieldsOf } = await readerFor(file, form)
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>)
    for (const item of items.take(decode(decoder, chunk))) yield fieldsOf(item)
  for (const item of items.take(decode(decoder, undefined))) yield fieldsOf(item)
  items.end()
}
