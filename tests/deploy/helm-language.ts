// Parses Helm templates: the part of Go's template language that our chart uses. Anything else is an error.

/** An operand of a pipeline. */
export type Operand =
  | { readonly kind: 'constant'; readonly value: string | number }
  /** `.a.b`, or `$name.a`: the names after the start. */
  | { readonly kind: 'field'; readonly variable: string | undefined; readonly names: readonly string[] }
  | { readonly kind: 'function'; readonly name: string }
  | { readonly kind: 'group'; readonly pipeline: Pipeline }

/** Commands; each receives the previous result as its last argument. */
export type Pipeline = readonly (readonly Operand[])[]

export type TemplateNode =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'output'; readonly pipeline: Pipeline }
  | { readonly kind: 'set'; readonly name: string; readonly pipeline: Pipeline }
  | {
      readonly kind: 'if' | 'with'
      readonly pipeline: Pipeline
      readonly body: readonly TemplateNode[]
      readonly other: readonly TemplateNode[]
    }
  | {
      readonly kind: 'range'
      readonly key: string
      readonly value: string
      readonly pipeline: Pipeline
      readonly body: readonly TemplateNode[]
    }

export interface Template {
  readonly nodes: readonly TemplateNode[]
  readonly definitions: ReadonlyMap<string, readonly TemplateNode[]>
}

interface Token {
  readonly isAction: boolean
  readonly text: string
}

/** `{{-` removes the white space before it, `-}}` that after it. */
function tokensOf(source: string): Token[] {
  const tokens: Token[] = []
  let eatsNext = false
  const addText = (text: string, eatsEnd: boolean): void => {
    const left = eatsNext ? text.trimStart() : text
    tokens.push({ isAction: false, text: eatsEnd ? left.trimEnd() : left })
  }
  let at = 0
  for (const action of source.matchAll(/\{\{(-?)([\s\S]*?)(-?)\}\}/g)) {
    addText(source.slice(at, action.index), action[1] === '-')
    eatsNext = action[3] === '-'
    const text = (action[2] ?? '').trim()
    if (!text.startsWith('/*')) tokens.push({ isAction: true, text })
    at = action.index + action[0].length
  }
  addText(source.slice(at), false)
  return tokens
}

function operandOf(word: string): Operand {
  if (word.startsWith('"')) return { kind: 'constant', value: String(JSON.parse(word)) }
  if (/^\d+$/.test(word)) return { kind: 'constant', value: Number(word) }
  const field = /^(\$\w+)?((?:\.\w+)*)$/.exec(word)
  if (word === '.' || (field && word !== '')) {
    const names = word === '.' ? [] : (field?.[2] ?? '').split('.').slice(1)
    return { kind: 'field', variable: field?.[1], names }
  }
  if (/^[a-zA-Z]\w*$/.test(word)) return { kind: 'function', name: word }
  throw new Error(`The reader does not know this word: ${word}`)
}

export function pipelineOf(text: string): Pipeline {
  const words = text.match(/"(?:[^"\\]|\\.)*"|[()|]|[^\s()|]+/g) ?? []
  let at = 0
  const read = (): Pipeline => {
    const commands: Operand[][] = [[]]
    while (at < words.length && words[at] !== ')') {
      const word = words[at] ?? ''
      at += 1
      if (word === '|') commands.push([])
      else if (word === '(') {
        commands.at(-1)?.push({ kind: 'group', pipeline: read() })
        at += 1
      } else commands.at(-1)?.push(operandOf(word))
    }
    return commands
  }
  const pipeline = read()
  if (at < words.length || pipeline.some((command) => command.length === 0))
    throw new Error(`This is no pipeline: ${text}`)
  return pipeline
}

/** @throws Error that names an unknown action. */
export function readTemplate(source: string): Template {
  const tokens = tokensOf(source)
  const definitions = new Map<string, readonly TemplateNode[]>()
  let at = 0
  const block = (isOuter: boolean): { nodes: TemplateNode[]; end: string } => {
    const nodes: TemplateNode[] = []
    while (at < tokens.length) {
      const { isAction, text } = tokens[at] ?? { isAction: false, text: '' }
      at += 1
      if (!isAction) nodes.push({ kind: 'text', text })
      else if (text === 'end' || text === 'else') {
        if (isOuter) throw new Error(`This ends nothing: ${text}`)
        return { nodes, end: text }
      } else {
        const node = action(text)
        if (node) nodes.push(node)
      }
    }
    if (!isOuter) throw new Error('A block has no end.')
    return { nodes, end: '' }
  }
  const action = (text: string): TemplateNode | undefined => {
    const [, word = '', rest = ''] = /^(\w*)\s*([\s\S]*)$/.exec(text) ?? []
    if (word === 'define') {
      definitions.set(String(JSON.parse(rest)), block(false).nodes)
      return undefined
    }
    if (word === 'if' || word === 'with') {
      const { nodes: body, end } = block(false)
      const other = end === 'else' ? block(false).nodes : []
      return { kind: word, pipeline: pipelineOf(rest), body, other }
    }
    if (word === 'range') {
      const [, key = '', value = '', over] = /^(\$\w+), (\$\w+) := (.*)$/.exec(rest) ?? []
      if (over === undefined) throw new Error(`The reader does not know this range: ${text}`)
      return { kind: 'range', key, value, pipeline: pipelineOf(over), body: block(false).nodes }
    }
    const [, name, set] = /^(\$\w+) := ([\s\S]*)$/.exec(text) ?? []
    if (name !== undefined && set !== undefined) return { kind: 'set', name, pipeline: pipelineOf(set) }
    return { kind: 'output', pipeline: pipelineOf(text) }
  }
  return { nodes: block(true).nodes, definitions }
}
