// A separate schema for a trial restore: created empty, and dropped afterwards with everything in it.
import { Client } from 'pg'
import { endClient } from './connections.ts'

const schema = 'waymark_drill'

async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url, application_name: 'waymark drill' })
  client.on('error', () => undefined) // it is idle while the work lasts, and its end is no reason to end the process
  await client.connect()
  try {
    return await work(client)
  } finally {
    await endClient(client)
  }
}

/**
 * @param work gets the URL of the same database, in which this schema is the only one.
 * @throws Error of one sentence where another is at it.
 */
export async function withScratchSchema<T>(url: string, work: (url: string) => Promise<T>): Promise<T> {
  const inSchema = new URL(url)
  inSchema.searchParams.set('options', `-c search_path=${schema}`)
  return withClient(url, async (client) => {
    // Of the connection, so that it ends with this process, however that ends.
    const { rows } = await client.query<{ held: boolean }>(
      'select pg_try_advisory_lock(hashtext($1)) as held',
      [schema],
    )
    if (rows[0]?.held !== true)
      throw Object.assign(new Error('Another drill is using this database.'), {
        failureCode: 'backup-running',
      })
    await client.query(`drop schema if exists ${schema} cascade`) // of a drill that was killed
    await client.query(`create schema ${schema}`)
    const drop = () => client.query(`drop schema ${schema} cascade`)
    let done: T
    try {
      done = await work(inSchema.href)
    } catch (error) {
      await drop().catch(() => undefined) // the first failure is the one to tell; the next drill drops it
      throw error
    }
    await drop()
    return done
  })
}
