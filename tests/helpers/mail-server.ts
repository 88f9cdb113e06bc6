// An SMTP server on loopback that stores every email.
import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

export interface ReceivedMail {
  readonly to: string
  readonly text: string
}

export async function startMailServer({ refusing = 0 } = {}) {
  const mails: ReceivedMail[] = []
  const sockets = new Set<Socket>()
  let refusals = refusing
  const refusedAddresses = new Map<string, string>()

  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined)
    let to = ''
    let isInData = false
    let pending = ''
    let text: string[] = []
    const say = (line: string) => socket.write(`${line}\r\n`)
    const take = (line: string): void => {
      if (isInData && line !== '.') return void text.push(line.startsWith('..') ? line.slice(1) : line)
      if (isInData) {
        isInData = false
        mails.push({ to, text: decodeQuoted(text.join('\n')) })
        text = []
        return void say('250 kept')
      }
      const verb = line.slice(0, 4).toUpperCase()
      if (verb === 'MAIL' && refusals > 0) {
        refusals -= 1
        return void say('451 try again')
      }
      if (verb === 'RCPT') {
        to = /<([^>]*)>/.exec(line)?.[1] ?? ''
        const refusal = refusedAddresses.get(to)
        if (refusal !== undefined) return void say(refusal)
      }
      if (verb === 'DATA') {
        isInData = true
        return void say('354 go on')
      }
      if (verb === 'QUIT') return void socket.end('221 bye\r\n')
      say('250 ok')
    }
    say('220 mail.example')
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      const lines = (pending + chunk).split('\r\n')
      pending = lines.pop() ?? ''
      lines.forEach(take)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')

  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    mails,
    /** Refuses the next `count` emails temporarily. */
    refuse: (count: number): void => {
      refusals = count
    },
    /** Refuses emails to the address with this reply; undefined accepts them again. */
    refuseTo: (address: string, answer: string | undefined): void => {
      if (answer === undefined) refusedAddresses.delete(address)
      else refusedAddresses.set(address, answer)
    },
    /** Waits for an email to the address that has a link with this text, and returns the first such link. */
    linkFor: async (to: string, words = ''): Promise<string> => {
      for (let tries = 0; tries < 3_000; tries += 1) {
        const at = mails.findIndex((mail) => mail.to === to && /https?:\/\//.test(mail.text))
        const [mail] = at < 0 ? [] : mails.splice(at, 1)
        if (mail) return mail.text.match(/https?:\/\/\S+/g)?.find((link) => link.includes(words)) ?? ''
        await pause(10)
      }
      throw new Error(`no mail with a link came for ${to}`)
    },
    close: async (): Promise<void> => {
      sockets.forEach((socket) => socket.destroy())
      server.close()
      await once(server, 'close')
    },
  }
}

/** Quoted-printable folds long lines. */
function decodeQuoted(text: string): string {
  return text
    .replaceAll(/=\n/g, '')
    .replaceAll(/(?:=[0-9A-F]{2})+/g, (bytes) =>
      Buffer.from(bytes.replaceAll('=', ''), 'hex').toString('utf8'),
    )
}
