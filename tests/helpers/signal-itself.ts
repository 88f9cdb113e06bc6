// Preloaded into a child process. It signals itself right after its first output on stderr. On a busy machine, a test
// that reads the output and then sends the signal would be too late.

const { SIGNAL_AFTER: moment, SIGNAL: signal } = process.env
if (moment === undefined || (signal !== 'SIGKILL' && signal !== 'SIGINT'))
  throw new Error('SIGNAL_AFTER and SIGNAL say after which words to send which signal.')

let said = ''
let isSent = false

process.stderr.write = new Proxy(process.stderr.write, {
  apply(write, stderr, args: Parameters<NodeJS.WriteStream['write']>) {
    const isTaken = write.apply(stderr, args)
    said += String(args[0])
    if (!isSent && said.includes(moment)) {
      isSent = true
      process.kill(process.pid, signal)
    }
    return isTaken
  },
})
