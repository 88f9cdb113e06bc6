// A schema as a readable list: name, type, constraints, and nested fields.
import { apiStrings as strings } from '../../../strings/docs.ts'
import type { Schema } from './api-document.ts'
import styles from './api.module.css'

const openDepth = 2

const alternatives = ({ anyOf, oneOf }: Schema): readonly Schema[] => anyOf ?? oneOf ?? []

/** `array of integer`, `string or null`, `"a" | "b"`. */
export function formOf(schema: Schema): string {
  const { type, items, format, title } = schema
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  const others = alternatives(schema)
  if (others.length > 0) return [...new Set(others.map(formOf))].join(` ${strings.orElse} `)
  if (items) return strings.listOf(formOf(items))
  const types = [type ?? []].flat()
  const named = types.map((name) => (name === 'object' && title !== undefined ? title : name))
  const form = named.join(` ${strings.orElse} `) || title || strings.anything
  return format === undefined ? form : `${form} (${format})`
}

/** Limits and other constraints, in short. */
function rulesOf({ minimum, maximum, minLength, maxLength, pattern, default: standard }: Schema): string[] {
  return [
    minimum === undefined ? '' : `≥ ${minimum}`,
    maximum === undefined || maximum >= Number.MAX_SAFE_INTEGER ? '' : `≤ ${maximum}`,
    minLength === undefined ? '' : strings.shortest(minLength),
    maxLength === undefined ? '' : strings.longest(maxLength),
    pattern === undefined ? '' : pattern,
    standard === undefined ? '' : `= ${JSON.stringify(standard)}`,
  ].filter((rule) => rule !== '')
}

/** The fields of a schema inside wrappers: of a list the items, of alternatives the one that has fields. */
function partsOf(schema: Schema): Schema | undefined {
  if (schema.properties) return schema
  if (schema.items) return partsOf(schema.items)
  return alternatives(schema)
    .map(partsOf)
    .find((found) => found !== undefined)
}

interface SchemaProps {
  readonly schema: Schema
  readonly depth?: number
}

function Property({
  name,
  schema,
  isRequired,
  depth,
}: SchemaProps & {
  readonly name: string
  readonly isRequired: boolean
  readonly depth: number
}) {
  const parts = partsOf(schema)
  return (
    <li>
      <div className={styles.property}>
        <code>{name}</code>
        <span className={styles.form}>{formOf(schema)}</span>
        {isRequired && <span className={styles.required}>{strings.required}</span>}
        {rulesOf(schema).map((rule) => (
          <code key={rule} className={styles.rule}>
            {rule}
          </code>
        ))}
      </div>
      {schema.description !== undefined && <p className={styles.about}>{schema.description}</p>}
      {parts && (
        <details open={depth < openDepth}>
          <summary>{parts.title ?? name}</summary>
          <Properties schema={parts} depth={depth + 1} />
        </details>
      )}
    </li>
  )
}

function Properties({ schema, depth = 0 }: SchemaProps) {
  const { properties = {}, required = [] } = schema
  return (
    <ul className={styles.properties}>
      {Object.entries(properties).map(([name, inner]) => (
        <Property key={name} name={name} schema={inner} isRequired={required.includes(name)} depth={depth} />
      ))}
    </ul>
  )
}

export function SchemaView({ schema }: SchemaProps) {
  const parts = partsOf(schema)
  const { description, xml } = schema
  return (
    <div className={styles.schema}>
      <p className={styles.form}>
        {formOf(schema)} {xml?.name !== undefined && <code>{strings.xmlName(xml.name)}</code>}
      </p>
      {description !== undefined && parts !== schema && <p className={styles.about}>{description}</p>}
      {parts && <Properties schema={parts} />}
    </div>
  )
}
