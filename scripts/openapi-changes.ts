// Finds breaking changes between two OpenAPI documents: the last released and the current one (contract C41).
// Over 300 lines because each rule for responses is next to its opposite for requests.
//
// v2 only grows. What clients may send must remain valid, and what they may read must remain present and keep its form,
// so the two sides are compared in opposite directions. A new response field, optional parameter, operation, status or
// media type is harmless. A new value of a response enum is not, since clients have a branch for each documented value,
// unless the released schema had `"x-open-enum": true`. The same applies to alternatives (`anyOf`) and `"x-open-union":
// true`.

type Json = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const objectOf = (value: unknown): Json => (isObject(value) ? value : {})
const textsOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : [])

/** One step of a JSON path, such as `.get` or `['/v2/images']`. */
const step = (name: string): string =>
  /^[A-Za-z_$][\w$]*$/.test(name) ? `.${name}` : `['${name.replaceAll("'", String.raw`\'`)}']`

interface Comparison {
  readonly released: Json
  readonly current: Json
}

function resolve(document: Json, schema: unknown): Json {
  const { $ref: reference } = objectOf(schema)
  if (typeof reference !== 'string') return objectOf(schema)
  const found = reference
    .replace(/^#\//, '')
    .split('/')
    .reduce<unknown>(
      (value, part) => objectOf(value)[part.replaceAll('~1', '/').replaceAll('~0', '~')],
      document,
    )
  return resolve(document, found)
}

const typesOf = ({ type }: Json): string[] =>
  textsOf(Array.isArray(type) ? type : type === undefined ? [] : [type])

/** Whether all types of one schema are allowed by the other. A schema without a type allows all. */
function areTypesWithin(narrow: Json, wide: Json): boolean {
  const inner = typesOf(narrow)
  const outer = new Set(typesOf(wide))
  if (outer.size === 0) return true
  const holds = (type: string): boolean => outer.has(type) || (type === 'integer' && outer.has('number'))
  return inner.length > 0 && inner.every(holds)
}

/** The values of an enum; undefined if the schema has none. */
function valuesOf(schema: Json): string[] | undefined {
  if (Array.isArray(schema['enum'])) return schema['enum'].map((value) => JSON.stringify(value))
  return 'const' in schema ? [JSON.stringify(schema['const'])] : undefined
}

const besides = (whole: Json, variant: Json): Json => ({
  ...whole,
  ...variant,
  ...('properties' in whole && {
    properties: { ...objectOf(whole['properties']), ...objectOf(variant['properties']) },
  }),
  required: [...textsOf(whole['required']), ...textsOf(variant['required'])],
})

/** The alternatives of a schema (a list of types counts too), or else the schema itself. */
function variantsOf(document: Json, schema: Json): Json[] {
  const alternatives = schema['anyOf'] ?? schema['oneOf']
  if (!Array.isArray(alternatives)) {
    const types = typesOf(schema)
    return types.length < 2
      ? [schema]
      : types.map((type) => (type === 'null' ? { type } : Object.assign({}, schema, { type })))
  }
  const { anyOf: _, oneOf: __, ...whole } = schema
  // Keywords beside the alternatives apply to each of them.
  return alternatives.flatMap((alternative) =>
    variantsOf(document, resolve(document, alternative)).map((variant) => besides(whole, variant)),
  )
}

type CompareSchemas = (documents: Comparison, schemas: Comparison, path: string) => string[]

/** Each of `from` must be compatible with one of `to`. The pair with the fewest problems is reported. */
function closest(from: readonly Json[], to: readonly Json[], compare: (one: Json, other: Json) => string[]) {
  return from.flatMap((one) =>
    to.map((other) => compare(one, other)).reduce((min, some) => (some.length < min.length ? some : min)),
  )
}

const lowerBounds = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties']
const upperBounds = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties']

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/** What a client reads: everything documented must still be true. */
const answerChanges: CompareSchemas = (documents, schemas, path) => {
  const before = resolve(documents.released, schemas.released)
  const released = variantsOf(documents.released, before)
  const current = variantsOf(documents.current, resolve(documents.current, schemas.current))
  // If alternatives may grow, those that clients know must still be present.
  const compare = (then: Json, now: Json): string[] =>
    answerVariant(documents, { released: then, current: now }, path)
  if (before['x-open-union'] === true) return closest(released, current, compare)
  return closest(current, released, (now, then) => compare(then, now))
}

function answerVariant(documents: Comparison, { released, current }: Comparison, path: string): string[] {
  if (!areTypesWithin(current, released))
    return [`${path}.type: an answer is now ${typesOf(current).join(' or ') || 'anything'}`]
  const found: string[] = []
  const [before, now] = [valuesOf(released), valuesOf(current)]
  if (before && !now) found.push(`${path}.enum: an answer may now be any value`)
  const added =
    before && now && released['x-open-enum'] !== true ? now.filter((value) => !before.includes(value)) : []
  for (const value of added) found.push(`${path}.enum: an answer may now be ${value}`)
  for (const name of ['format', 'pattern'])
    if (name in released && !same(released[name], current[name]))
      found.push(`${path}${step(name)}: an answer no longer has ${String(released[name])}`)
  const [fields, fieldsNow] = [objectOf(released['properties']), objectOf(current['properties'])]
  const demanded = textsOf(current['required'])
  const optional = new Set(textsOf(released['required']).filter((name) => !demanded.includes(name)))
  for (const [name, field] of Object.entries(fields)) {
    const at = `${path}.properties${step(name)}`
    if (!(name in fieldsNow)) found.push(`${at}: a field of an answer is gone`)
    else if (optional.has(name)) found.push(`${at}: a field of an answer may now be left out`)
    if (name in fieldsNow)
      found.push(
        ...answerChanges(documents, { released: objectOf(field), current: objectOf(fieldsNow[name]) }, at),
      )
  }
  if (isObject(released['items']))
    found.push(
      ...answerChanges(
        documents,
        { released: released['items'], current: objectOf(current['items']) },
        `${path}.items`,
      ),
    )
  return found
}

/** What a client sends: everything that was accepted must still be accepted. */
const requestChanges: CompareSchemas = (documents, schemas, path) => {
  const released = variantsOf(documents.released, resolve(documents.released, schemas.released))
  const current = variantsOf(documents.current, resolve(documents.current, schemas.current))
  return closest(released, current, (then, now) =>
    requestVariant(documents, { released: then, current: now }, path),
  )
}

function requestVariant(documents: Comparison, { released, current }: Comparison, path: string): string[] {
  if (!areTypesWithin(released, current))
    return [`${path}.type: a request must now be ${typesOf(current).join(' or ')}`]
  const found: string[] = []
  const [before, now] = [valuesOf(released), valuesOf(current)]
  if (now && !before) found.push(`${path}.enum: a request may no longer be any value`)
  const gone = before && now ? before.filter((value) => !now.includes(value)) : []
  for (const value of gone) found.push(`${path}.enum: a request may no longer be ${value}`)
  for (const name of ['format', 'pattern'])
    if (name in current && !same(released[name], current[name]))
      found.push(`${path}${step(name)}: a request must now have ${String(current[name])}`)
  for (const [names, sign] of [
    [lowerBounds, 1],
    [upperBounds, -1],
  ] as const)
    for (const name of names) {
      const [then, limit] = [released[name], current[name]]
      const isNarrower = typeof limit === 'number' && (typeof then !== 'number' || sign * (limit - then) > 0)
      if (isNarrower) found.push(`${path}${step(name)}: a request is now bounded by ${limit}`)
    }
  const [fields, fieldsNow] = [objectOf(released['properties']), objectOf(current['properties'])]
  for (const [name, field] of Object.entries(fields)) {
    const at = `${path}.properties${step(name)}`
    if (!(name in fieldsNow)) found.push(`${at}: a field of a request is gone`)
    else
      found.push(
        ...requestChanges(documents, { released: objectOf(field), current: objectOf(fieldsNow[name]) }, at),
      )
  }
  for (const name of textsOf(current['required']))
    if (!textsOf(released['required']).includes(name))
      found.push(`${path}.required: ${name} must now be sent`)
  if (
    current['additionalProperties'] === false &&
    released['additionalProperties'] !== false &&
    'properties' in released
  )
    found.push(`${path}.additionalProperties: other fields are no longer taken`)
  if (isObject(current['items']))
    found.push(
      ...requestChanges(
        documents,
        { released: objectOf(released['items']), current: current['items'] },
        `${path}.items`,
      ),
    )
  return found
}

function contentChanges(
  documents: Comparison,
  { released, current }: Comparison,
  path: string,
  compare: CompareSchemas,
): string[] {
  return Object.entries(objectOf(released['content'])).flatMap(([mediaType, then]) => {
    const at = `${path}.content${step(mediaType)}`
    const now = objectOf(current['content'])[mediaType]
    if (now === undefined) return [`${at}: a media type is gone`]
    const schemas = {
      released: objectOf(objectOf(then)['schema']),
      current: objectOf(objectOf(now)['schema']),
    }
    return compare(documents, schemas, `${at}.schema`)
  })
}

type Parameter = Json & { readonly name: string; readonly in: string }
const parametersOf = (document: Json, { parameters }: Json): Parameter[] =>
  (Array.isArray(parameters) ? parameters : []).map((parameter) => resolve(document, parameter) as Parameter)
const isSameParameter = (one: Parameter, other: Parameter): boolean =>
  one.name === other.name && one.in === other.in

function parameterChanges(documents: Comparison, { released, current }: Comparison, path: string): string[] {
  const before = parametersOf(documents.released, released)
  const now = parametersOf(documents.current, current)
  const at = ({ in: place, name }: Parameter): string => `${path}.parameters['${place} ${name}']`
  const kept = before.flatMap((parameter) => {
    const same = now.find((other) => isSameParameter(parameter, other))
    if (same === undefined) return [`${at(parameter)}: a parameter is gone`]
    const schemas = { released: objectOf(parameter['schema']), current: objectOf(same['schema']) }
    return requestChanges(documents, schemas, `${at(parameter)}.schema`)
  })
  const demanded = now
    .filter((parameter) => parameter['required'] === true)
    .filter((parameter) => before.find((other) => isSameParameter(parameter, other))?.['required'] !== true)
  return [...kept, ...demanded.map((parameter) => `${at(parameter)}.required: must now be sent`)]
}

function bodyChanges(documents: Comparison, { released, current }: Comparison, path: string): string[] {
  const [before, now] = [objectOf(released['requestBody']), objectOf(current['requestBody'])]
  const at = `${path}.requestBody`
  const isDemanded = now['required'] === true && before['required'] !== true
  return [
    ...(isDemanded ? [`${at}.required: a body must now be sent`] : []),
    ...contentChanges(documents, { released: before, current: now }, at, requestChanges),
  ]
}

function responseChanges(documents: Comparison, { released, current }: Comparison, path: string): string[] {
  const now = objectOf(current['responses'])
  return Object.entries(objectOf(released['responses']))
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([status, then]) => {
      const at = `${path}.responses${step(status)}`
      if (!(status in now)) return [`${at}: an answer is gone`]
      const [before, after] = [resolve(documents.released, then), resolve(documents.current, now[status])]
      const headers = Object.keys(objectOf(before['headers']))
        .filter((name) => !(name in objectOf(after['headers'])))
        .map((name) => `${at}.headers${step(name)}: a header of an answer is gone`)
      const schemas = { released: before, current: after }
      // A response without content has none, even if a document says otherwise.
      return status === '204'
        ? headers
        : headers.concat(contentChanges(documents, schemas, at, answerChanges))
    })
}

const waysOf = (document: Json, operation: Json): Json[] => {
  const ways = operation['security'] ?? document['security']
  return Array.isArray(ways) && ways.length > 0 ? ways.map(objectOf) : [{}]
}

/** Whether a client authorised by `way` is still authorised by `other`: no additional credential or scope is required. */
const isOpenTo = (way: Json, other: Json): boolean =>
  Object.entries(other).every(
    ([scheme, scopes]) =>
      scheme in way && textsOf(scopes).every((scope) => textsOf(way[scheme]).includes(scope)),
  )

function securityChanges(documents: Comparison, { released, current }: Comparison, path: string): string[] {
  const now = waysOf(documents.current, current)
  return waysOf(documents.released, released)
    .filter((way) => !now.some((other) => isOpenTo(way, other)))
    .map((way) => {
      const words = Object.entries(way).map(([scheme, scopes]) =>
        `${scheme} ${textsOf(scopes).join(' ')}`.trimEnd(),
      )
      return `${path}.security: no longer open by ${words.join(' and ') || 'no credential'}`
    })
}

/** Every change that may break a client of the released document, one sentence each with the JSON path. */
export function breakingChanges(released: unknown, current: unknown): string[] {
  const documents = { released: objectOf(released), current: objectOf(current) }
  const pathsNow = objectOf(documents.current['paths'])
  return Object.entries(objectOf(documents.released['paths'])).flatMap(([path, methods]) => {
    const at = `$.paths${step(path)}`
    if (!(path in pathsNow)) return [`${at}: a path is gone`]
    return Object.entries(objectOf(methods)).flatMap(([method, then]) => {
      const now = objectOf(pathsNow[path])[method]
      const here = at + step(method)
      if (now === undefined) return [`${here}: a method is gone`]
      const operations = { released: objectOf(then), current: objectOf(now) }
      return [parameterChanges, bodyChanges, responseChanges, securityChanges].flatMap((changes) =>
        changes(documents, operations, here),
      )
    })
  })
}
