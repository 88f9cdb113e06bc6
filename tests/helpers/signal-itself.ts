// Preloaded into a child: once it has said something on stderr, it sends itself a signal, before it does anything more.
// A test that read what the child said and then sent the signal would come too late on a busy machine.

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
