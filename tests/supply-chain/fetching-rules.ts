// Building, testing and the steps in the docs take nothing from anywhere but npm's registry and Debian.

/** What brings programs from elsewhere, whatever stands behind it. */
const elsewhere: readonly RegExp[] = [
  /\bgit\s+(?:clone|fetch|pull|submodule)\b/,
  /\b(?:pip3?|pipx|gem|cargo|go|brew|snap|nvm|conda|uv)\s+(?:tool\s+)?(?:install|get|add)\b/,
  /\b(?:docker|podman)\s+(?:pull|run|build)\b/,
  /\b(?:add-apt-repository|apt-key|corepack|nix-shell|rustup)\b/,
  /\bnpm\s+(?:exec|x|init|create)\b/,
  /\bnpx\b/,
  /\b(?:yarn|pnpm|bun|deno)\s/,
  /\bnpm\s+(?:i|install|add|ci)\b.*(?:\s-g\b|--global|https?:|git\+|github:|file:)/,
  /--registry\b/,
  /\|\s*(?:sudo\s+)?(?:ba|da|z|k)?sh\b|\b(?:ba)?sh\s+<\(/,
]

const address = /\b(?:https?|ftp):\/\/([^/\s"'<>:)]+)/g
/** This machine, a variable of the reader's, and names that are kept for examples. */
const harmless = /^(?:127\.0\.0\.1|localhost|\[::1\]|\$.*|(?:[a-z0-9-]+\.)*example(?:\.(?:com|net|org))?)$/i

function lineFaults(line: string): string[] {
  const found = elsewhere.filter((pattern) => pattern.test(line)).map(() => 'brings something from elsewhere')
  const hosts = /\b(?:curl|wget|aria2c|http)\b/.test(line) ? [...line.matchAll(address)] : []
  return found.concat(
    hosts.filter(([, host = '']) => !harmless.test(host)).map(([, host]) => `fetches from ${host}`),
  )
}

/** The lines that a reader would run: in fences, and indented by four. */
function commandLines(markdown: string): string[] {
  let isFenced = false
  return markdown.split('\n').filter((line) => {
    if (/^\s*(?:```|~~~)/.test(line)) isFenced = !isFenced
    return isFenced || /^ {4}\S/.test(line)
  })
}

/** A line that goes on is one command. */
function joined(lines: readonly string[]): string[] {
  return lines.join('\n').replaceAll(/\\\n/g, ' ').split('\n')
}

/** Scripts of package.json, shell, markdown and code, by file; every breach, a sentence each. */
export function fetchingViolations(texts: ReadonlyMap<string, string>): string[] {
  return [...texts].flatMap(([file, text]) => {
    if (/\.(?:ts|cjs)$/.test(file))
      return /\bfetch\(|\bhttps?\.(?:get|request)\(|from 'node:https?'|['"]npm['"], \[['"](?:i|install|exec)/.test(
        text,
      )
        ? [`${file} speaks to the network`]
        : []
    if (file === 'package.json') {
      const { scripts = {} } = JSON.parse(text) as { scripts?: Record<string, string> }
      return Object.entries(scripts).flatMap(([name, line]) =>
        lineFaults(line).map((fault) => `the script ${name} ${fault}: ${line}`),
      )
    }
    const lines = file.endsWith('.md') ? commandLines(text) : text.split('\n')
    return joined(lines)
      .map((line) => line.replace(/(?:^|\s)#.*$/, ''))
      .flatMap((line) => lineFaults(line).map((fault) => `${file} ${fault}: ${line.trim()}`))
  })
}
