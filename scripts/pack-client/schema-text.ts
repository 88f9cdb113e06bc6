// Writes JSON schemas as TypeScript declarations, with their descriptions as comments.

/** The part of JSON Schema that src/shared/v2/ uses. */
interface Schema {
  readonly title?: string
  readonly description?: string
  readonly type?: string | readonly string[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: unknown
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** Known keywords, so that an unknown one is an error instead of a wrong type. */
const understood = new Set(
  'title description type const enum anyOf oneOf items properties patternProperties required additionalProperties'.split(
    ' ',
  ),
)
/** Constraints that types cannot express. */
const ignored =
  /^(?:\$id|format|pattern|default|examples?|minimum|maximum|exclusiveM(?:in|ax)imum|m(?:in|ax)(?:Length|Items|Properties)|uniqueItems|multipleOf|contentMediaType|contentEncoding|x-.*|~.*)$/

function schemaOf(value: unknown, place: string): Schema {
  if (!isObject(value)) throw new Error(`${place} is no schema`)
  const odd = Object.keys(value).filter((key) => !understood.has(key) && !ignored.test(key))
  if (odd.length > 0) throw new Error(`${place} says ${odd.join(', ')}, which no type is written for`)
  return value
}

function comment(description: string | undefined, indent: string): string {
  return description === undefined ? '' : `${indent}/** ${description.replaceAll('*/', '* /')} */\n`
}

const keyOf = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name))

const union = (parts: readonly string[]): string => [...new Set(parts)].join(' | ')

interface Place {
  /** Path in the document, for error messages. */
  readonly path: string
  readonly indent: string
  /** In a request body, in which optional fields may also be undefined, like `Sent` in client/types.ts. */
  readonly isSent: boolean
}

export interface Declarations {
  /** Declares an interface or type with this name. Other uses of the schema refer to it. */
  declare(name: string, schema: unknown): void
  /** Declares a request body. Nothing refers to it. */
  declareSent(name: string, schema: unknown): void
  /** All declarations, and those of titled parts, by name. */
  text(): string
}

/** @param taken names of other declarations. */
export function createDeclarations(taken: Iterable<string>): Declarations {
  const names = new Map<object, string>()
  const texts = new Map<string, string>()
  const waiting: (() => void)[] = []
  const used = new Set(taken)

  /** The type as an expression; for a named schema, its name. */
  function refer(value: unknown, at: Place): string {
    const schema = schemaOf(value, at.path)
    const known = names.get(schema)
    if (known !== undefined) return known
    const { title } = schema
    if (title === undefined) return write(schema, at)
    const [same] = [...names].find(([, name]) => name === title) ?? []
    const isSame = same !== undefined && JSON.stringify(same) === JSON.stringify(schema)
    if (!isSame && used.has(title)) return write(schema, at)
    names.set(schema, title)
    if (!isSame) addDeclaration(title, schema, false)
    return title
  }

  function addDeclaration(name: string, schema: Schema, isSent: boolean): void {
    used.add(name)
    const isInterface = schema.type === 'object' && schema.properties !== undefined
    const written = write(schema, { path: name, indent: '', isSent })
    const head = comment(schema.description, '')
    texts.set(
      name,
      isInterface
        ? `${head}export interface ${name} ${written}\n`
        : `${head}export type ${name} = ${written}\n`,
    )
  }

  function write(schema: Schema, at: Place): string {
    const { type, enum: values, anyOf, oneOf } = schema
    if ('const' in schema) return JSON.stringify(schema.const)
    if (values !== undefined) return union(values.map((value) => JSON.stringify(value)))
    const alternatives = anyOf ?? oneOf
    if (alternatives !== undefined) return union(alternatives.map((one) => refer(one, at)))
    if (typeof type === 'object') return union(type.map((one) => write({ ...schema, type: one }, at)))
    switch (type) {
      case 'string':
      case 'boolean':
      case 'null':
      case 'number':
        return type
      case 'integer':
        return 'number'
      case 'array':
        return listOf(schema, at)
      case 'object':
        return objectOf(schema, at)
      case undefined:
      default:
        throw new Error(`${at.path} has no type`)
    }
  }

  function listOf({ items }: Schema, at: Place): string {
    if (items === undefined) return 'unknown[]'
    const item = refer(items, { ...at, path: `${at.path}[]` })
    const isWhole = /^[\w[\]]+$/.test(item) || schemaOf(items, at.path).type === 'object'
    return isWhole ? `${item}[]` : `(${item})[]`
  }

  function objectOf(schema: Schema, { path, indent, isSent }: Place): string {
    const { properties = {}, patternProperties = {}, required = [], additionalProperties } = schema
    const inner = `${indent}  `
    const fields = Object.entries(properties).map(([name, value]) => {
      const at = { path: `${path}.${name}`, indent: inner, isSent }
      const field = schemaOf(value, at.path)
      const isOptional = !required.includes(name)
      const end = isSent && isOptional && indent === '' ? ' | undefined' : ''
      const line = `${inner}${keyOf(name)}${isOptional ? '?' : ''}: ${refer(field, at)}${end}\n`
      return comment(field.description, inner) + line
    })
    const [others] = Object.values(patternProperties)
    if (others !== undefined) return `Record<string, ${refer(others, { path, indent, isSent })}>`
    if (fields.length > 0) return `{\n${fields.join('')}${indent}}`
    if (isSent) return 'object'
    return additionalProperties === false ? 'Record<string, never>' : 'Record<string, unknown>'
  }

  return {
    declare: (name, value) => {
      const schema = schemaOf(value, name)
      used.add(name)
      const other = names.get(schema)
      if (other !== undefined) return void texts.set(name, `export type ${name} = ${other}\n`)
      names.set(schema, name)
      waiting.push(() => addDeclaration(name, schema, false))
    },
    declareSent: (name, value) => {
      used.add(name)
      waiting.push(() => addDeclaration(name, schemaOf(value, name), true))
    },
    text: () => {
      for (const add of waiting.splice(0)) add()
      return [...texts]
        .toSorted(([one], [other]) => (one < other ? -1 : 1))
        .map(([, text]) => text)
        .join('\n')
    },
  }
}
