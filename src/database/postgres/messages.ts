// Statements that are sent to PostgreSQL in one message, and answered in one.
//
// pg ends each statement with a Sync, at which PostgreSQL sends its answer: so statements that are sent together are still
// answered, and this process is woken, one by one. Here, all that a connection is asked in one turn of the event loop has one
// Sync at its end. And what a prepared statement returns is described once, not each time. (Protocol 3.0, extended query.)
import type { Client, Connection } from 'pg'

export interface Statement {
  readonly text: string
  readonly values: readonly unknown[]
  /** It is prepared under this name, once on each connection. */
  readonly name?: string | undefined
}

export interface Answer {
  readonly rows: object[]
  /** `INSERT`, for example. */
  readonly command: string
  /** Of rows returned or written. */
  readonly rowCount: number
}

interface Column {
  readonly name: string
  readonly read: (text: string) => unknown
}

/** What the rows of a statement look like. */
interface Shape {
  readonly columns: readonly Column[]
  readonly empty: Readonly<Record<string, unknown>>
}

interface Asked {
  readonly text: string
  readonly values: (string | Buffer | null)[]
  readonly name: string | undefined
  readonly answered: PromiseWithResolvers<Answer>
  readonly rows: object[]
  shape: Shape
}

interface Field {
  readonly name: string
  readonly dataTypeID: number
}

type ReadType = (type: number) => (text: string) => unknown

const noShape: Shape = { columns: [], empty: {} }

/** pg's types ask for it, and pg ignores it. */
const more = true

/** As the protocol takes it: text, or bytes. */
function valueOf(value: unknown): string | Buffer | null {
  if (value === null || value === undefined) return null
  if (typeof value === 'string') return value
  if (Buffer.isBuffer(value)) return value
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean')
    return value.toString()
  throw new TypeError('A value of a statement is neither a number, a text, a truth nor bytes.')
}

/** PostgreSQL reports the same of a statement of a transaction that has failed. */
const notRun = (): Error =>
  Object.assign(new Error('A statement before it in the same message has failed.'), {
    code: '25P02',
    severity: 'ERROR',
  })

function shapeOf(fields: readonly Field[], readType: ReadType): Shape {
  const columns = fields.map(({ name, dataTypeID }) => ({ name, read: readType(dataTypeID) }))
  return { columns, empty: Object.fromEntries(columns.map(({ name }) => [name, null])) }
}

function rowOf({ columns, empty }: Shape, texts: readonly (string | null)[]): object {
  const row = { ...empty }
  for (const [index, { name, read }] of columns.entries()) {
    const text = texts[index] ?? null
    row[name] = text === null ? null : read(text)
  }
  return row
}

/** @param onEnd called once the message is answered, or fails. */
function createMessage(prepared: Map<string, Shape>, readType: ReadType, onEnd: (error?: Error) => void) {
  const statements: Asked[] = []
  /** Index of the statement whose answer comes next. */
  let next = 0

  function send(connection: Connection, asked: Asked): void {
    const { text, values, name = '' } = asked
    const known = prepared.get(name)
    if (!known) {
      // Where a statement before it has failed, it is not known whether there is one of this name.
      if (name !== '') connection.close({ type: 'S', name }, more)
      connection.parse({ text, name, types: [] }, more)
    }
    connection.bind({ statement: name, values }, more)
    if (known) asked.shape = known
    else connection.describe({ type: 'P', name: '' }, more)
    connection.execute({}, more)
  }

  /** @param tag `INSERT 0 1`, for example. */
  function complete(tag: string): void {
    const asked = statements[next]
    if (!asked) return
    next += 1
    const { name, shape, rows, answered } = asked
    if (name !== undefined) prepared.set(name, shape)
    const words = tag.split(' ')
    answered.resolve({ rows, command: words[0] ?? '', rowCount: Number(words.at(-1)) || 0 })
  }

  /** What pg calls while it sends the message and reads the answer: its interface for queries of others. */
  const query = {
    /** pg wraps it, to end its time-out. */
    callback: onEnd,

    submit: (connection: Connection): void => {
      const { stream } = connection
      stream.cork()
      for (const asked of statements) send(connection, asked)
      connection.sync()
      stream.uncork()
    },

    handleRowDescription: ({ fields }: { readonly fields: readonly Field[] }): void => {
      const asked = statements[next]
      if (asked) asked.shape = shapeOf(fields, readType)
    },

    handleDataRow: ({ fields }: { readonly fields: readonly (string | null)[] }): void => {
      const asked = statements[next]
      asked?.rows.push(rowOf(asked.shape, fields))
    },

    handleCommandComplete: ({ text }: { readonly text: string }): void => complete(text),

    handleEmptyQuery: (): void => complete(''),

    /** PostgreSQL leaves out all that follows, and answers the Sync. */
    handleError: (error: Error): void => {
      const [failed, ...left] = statements.slice(next)
      next = statements.length
      // A table of it may have got another column (by a node of a newer version): then it fails until it is prepared again.
      if (failed?.name !== undefined) prepared.delete(failed.name)
      failed?.answered.reject(error)
      for (const { answered } of left) answered.reject(notRun())
      query.callback(error)
    },

    handleReadyForQuery: (): void => query.callback(),
  }

  return {
    query,
    add: ({ text, values, name }: Statement): Promise<Answer> => {
      const answered = Promise.withResolvers<Answer>()
      statements.push({ text, values: values.map(valueOf), name, answered, rows: [], shape: noShape })
      return answered.promise
    },
  }
}

/** The messages of one connection, one after another. */
function createMessages(client: Client) {
  const prepared = new Map<string, Shape>()
  const readType: ReadType = (type) => client.getTypeParser(type)
  let open: ReturnType<typeof createMessage> | undefined
  let isUnderWay = false

  function send(): void {
    if (open === undefined) return
    const { query } = open
    open = undefined
    isUnderWay = true
    client.query(query)
  }

  /** What was asked before a failure was known fails with it, as in the same message: after a time-out, nothing more is sent. */
  const onEnd = (error?: Error): void => {
    isUnderWay = false
    if (error === undefined) return send()
    const waiting = open
    open = undefined
    waiting?.query.handleError(error)
  }

  return (statement: Statement): Promise<Answer> => {
    if (open === undefined) {
      open = createMessage(prepared, readType, onEnd)
      if (!isUnderWay) process.nextTick(send)
    }
    return open.add(statement)
  }
}

const messagesOf = new WeakMap<Client, ReturnType<typeof createMessages>>()

/**
 * Sends the statement with all others that the connection is asked until the end of this turn. If one fails, those after it are
 * not run, and fail as in a transaction that has failed (`isConsequence` in errors.ts).
 */
export function ask(client: Client, statement: Statement): Promise<Answer> {
  let messages = messagesOf.get(client)
  if (messages === undefined) {
    messages = createMessages(client)
    messagesOf.set(client, messages)
  }
  return messages(statement)
}
