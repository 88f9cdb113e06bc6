// Asks a server from a process of its own, so that what the asking costs is not counted: `node client.ts <url> <count> [lanes]`.
import { Agent, get } from 'node:http'

const [url = '', count = '0', lanes = '8'] = process.argv.slice(2)
const { BENCH_TOKEN: token = '' } = process.env
const agent = new Agent({ keepAlive: true, maxSockets: Number(lanes) })
const headers = token === '' ? {} : { authorization: `Bearer ${token}` }

const ask = (): Promise<void> =>
  new Promise((resolve, reject) => {
    get(url, { agent, headers }, (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`answered ${answer.statusCode}`))
      answer.resume().on('end', resolve)
    }).on('error', reject)
  })

let left = Number(count)
const lane = async (): Promise<void> => {
  while (left > 0) {
    left -= 1
    await ask()
  }
}
await Promise.all(Array.from({ length: Number(lanes) }, lane))
agent.destroy()
