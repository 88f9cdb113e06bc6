// Reads a Dockerfile into its stages and instructions. Knows what ours uses, and refuses whatever else stands in it.

export interface Instruction {
  readonly name: string
  /** `--from=web` as from → web. */
  readonly flags: ReadonlyMap<string, string>
  readonly text: string
  /** The words of the text: those of its JSON where it is a list, else those between blanks. */
  readonly words: readonly string[]
}

export interface Stage {
  readonly name: string | undefined
  readonly base: string
  readonly instructions: readonly Instruction[]
}

const known = new Set(
  'ARG FROM WORKDIR COPY RUN ENV VOLUME USER EXPOSE STOPSIGNAL HEALTHCHECK ENTRYPOINT CMD'.split(' '),
)

function wordsOf(text: string): string[] {
  if (!text.startsWith('[')) return text.split(/\s+/)
  const list: unknown = JSON.parse(text)
  if (!Array.isArray(list)) throw new Error(`This is no list: ${text}`)
  return list.map(String)
}

function readInstruction(line: string): Instruction {
  const [, name = '', flagText = '', text = ''] = /^(\w+)\s+((?:--[\w-]+=\S+\s+)*)(.*)$/.exec(line) ?? []
  if (!known.has(name)) throw new Error(`The reader does not know this line: ${line}`)
  const flags = [...flagText.matchAll(/--([\w-]+)=(\S+)/g)].map(
    ([, flag = '', value = '']) => [flag, value] as const,
  )
  return { name, flags: new Map(flags), text, words: wordsOf(text.replace(/^CMD (?=\[)/, '')) }
}

/** @throws Error that names the line it does not know. */
export function readDockerfile(file: string): Stage[] {
  const lines = file
    .split('\n')
    .filter((line) => !/^\s*(?:#|$)/.test(line))
    .join('\n')
    .replaceAll(/\\\n\s*/g, ' ')
    .split('\n')
  const constants = new Map<string, string>()
  const stages: { name: string | undefined; base: string; instructions: Instruction[] }[] = []
  for (const line of lines) {
    const instruction = readInstruction(line)
    const { name, text, words } = instruction
    if (name === 'ARG') {
      const [variable = '', value = ''] = text.split('=')
      constants.set(variable, value)
    } else if (name === 'FROM') {
      const base = (words[0] ?? '').replace(
        /^\$\{(\w+)\}$/,
        (_, variable: string) => constants.get(variable) ?? '',
      )
      stages.push({ name: words[2], base, instructions: [] })
    } else {
      const stage = stages.at(-1)
      if (!stage) throw new Error(`This stands before the first FROM: ${line}`)
      stage.instructions.push(instruction)
    }
  }
  return stages
}

/** Whether the .dockerignore lets the path go to the builder: the last line that fits decides, a path or a folder above it. */
export function isSent(ignoreFile: string, file: string): boolean {
  const rules = ignoreFile.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  const fits = (rule: string): boolean => rule === '*' || file === rule || file.startsWith(`${rule}/`)
  return rules.reduce((is, rule) => {
    if (rule.startsWith('!')) return fits(rule.slice(1)) || is
    return fits(rule) ? false : is
  }, true)
}
