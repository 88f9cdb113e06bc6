// Preloaded into a child process. It kills itself as soon as a file with this ending appears in this folder, or is deleted
// there. On a busy machine, a test that looks for the file and then sends the signal would be too late.
import { watch } from 'node:fs'

const { KILL_IN: folder, KILL_AT: ending } = process.env
if (folder === undefined || ending === undefined)
  throw new Error('KILL_IN and KILL_AT say which file, in which folder, ends the process.')

watch(folder, (_, name) => {
  if (name?.endsWith(ending) === true) process.kill(process.pid, 'SIGKILL')
}).unref()
