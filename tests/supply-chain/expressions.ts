// Every regular expression in sources, read by the compiler's own parser: literals, RegExp calls, JSON schema patterns.
import { SyntaxKind, type Node } from 'typescript/unstable/ast'
import {
  isCallExpression,
  isIdentifier,
  isNewExpression,
  isNoSubstitutionTemplateLiteral,
  isPropertyAccessExpression,
  isPropertyAssignment,
  isStringLiteral,
} from 'typescript/unstable/ast/is'
import { createVirtualFileSystem } from 'typescript/unstable/fs'
import { API } from 'typescript/unstable/sync'

export interface Expression {
  readonly file: string
  readonly pattern: string
  readonly flags: string
}

/** A RegExp made of what is known only when the program runs; nothing can be said of it here. */
export interface BuiltExpression {
  readonly file: string
  readonly code: string
}

export interface Expressions {
  readonly known: readonly Expression[]
  readonly built: readonly BuiltExpression[]
}

/** Methods of strings that make a RegExp of a string. */
const takesPattern = new Set(['match', 'matchAll', 'search'])

function textOf(node: Node | undefined): string | undefined {
  if (node === undefined) return undefined
  return isStringLiteral(node) || isNoSubstitutionTemplateLiteral(node) ? node.text : undefined
}

function literal(file: string, text: string): Expression {
  const end = text.lastIndexOf('/')
  return { file, pattern: text.slice(1, end), flags: text.slice(end + 1) }
}

/** What one node of the tree makes, if it makes an expression at all. */
function expressionAt(node: Node, file: string, source: string): Expression | BuiltExpression | undefined {
  if (node.kind === SyntaxKind.RegularExpressionLiteral)
    return literal(file, source.slice(node.pos, node.end).trim())
  if (isPropertyAssignment(node) && isIdentifier(node.name) && node.name.text === 'pattern') {
    const pattern = textOf(node.initializer)
    return pattern === undefined ? undefined : { file, pattern, flags: 'u' } // as Ajv compiles it
  }
  if (!isNewExpression(node) && !isCallExpression(node)) return undefined
  const { expression: callee, arguments: given = [] } = node
  const [first, second] = given
  const pattern = textOf(first)
  if (isPropertyAccessExpression(callee) && takesPattern.has(callee.name.text))
    return pattern === undefined
      ? undefined
      : { file, pattern, flags: callee.name.text === 'matchAll' ? 'g' : '' }
  if (!isIdentifier(callee) || callee.text !== 'RegExp') return undefined
  const flags = second === undefined ? '' : textOf(second)
  if (pattern !== undefined && flags !== undefined) return { file, pattern, flags }
  return first?.kind === SyntaxKind.RegularExpressionLiteral
    ? undefined // found as the literal it is
    : { file, code: source.slice(node.pos, node.end).trim() }
}

/** All expressions of the texts, which the compiler parses and neither checks nor resolves. */
export function findExpressions(texts: ReadonlyMap<string, string>): Expressions {
  const folder = '/parsed'
  const names = [...texts.keys()].map((file) => `${folder}/${file}`)
  const settings = { noResolve: true, noLib: true, types: [], allowJs: true, jsx: 'preserve', noEmit: true }
  const files = Object.fromEntries([...texts].map(([file, text]) => [`${folder}/${file}`, text]))
  const tsconfig = JSON.stringify({ compilerOptions: settings, files: names })
  const api = new API({
    cwd: folder,
    fs: createVirtualFileSystem({ ...files, [`${folder}/tsconfig.json`]: tsconfig }),
  })
  try {
    const [project] = api.updateSnapshot({ openProjects: [`${folder}/tsconfig.json`] }).getProjects()
    const known: Expression[] = []
    const built: BuiltExpression[] = []
    for (const [file, text] of texts) {
      const tree = project?.program.getSourceFile(`${folder}/${file}`)
      if (tree === undefined) throw new Error(`${file} was not parsed`)
      const visit = (node: Node): void => {
        const found = expressionAt(node, file, text)
        if (found && 'pattern' in found) known.push(found)
        else if (found) built.push(found)
        node.forEachChild(visit)
      }
      visit(tree)
    }
    return { known, built }
  } finally {
    api.close()
  }
}
