// Splits a JSON array into the texts of its items while streaming, so that memory is limited to one item.
import { brokenList, maxItemCharacters } from './broken-list.ts'

const isSpace = (character: string): boolean => /[\t\n\r \uFEFF]/.test(character)

/** Characters that may change the state within an item; everything between them is skipped. */
const landmark = /["\\{}[\]]/g
const quoteOrEscape = /["\\]/g

export function createJsonItems() {
  let item = ''
  let depth = 0
  let isInString = false
  let isEscaped = false
  let place: 'before' | 'first' | 'item' | 'between' | 'after' = 'before'

  /** @returns where to continue, from a position outside any item. */
  function outside(text: string, at: number): number {
    const character = text.charAt(at)
    if (isSpace(character)) return at + 1
    if (place === 'before' && character === '[') place = 'first'
    else if ((place === 'first' || place === 'between') && character === ']') place = 'after'
    else if (place === 'between' && character === ',') place = 'item'
    else if ((place === 'first' || place === 'item') && character === '{') {
      place = 'item'
      depth = 1
      item = '{'
    } else throw brokenList('is not a JSON array of objects')
    return at + 1
  }

  /** @returns where to continue, and whether the item ended there. */
  function inside(text: string, from: number): { at: number; isEnd: boolean } {
    if (isEscaped) {
      isEscaped = false
      return { at: from + 1, isEnd: false }
    }
    const looking = isInString ? quoteOrEscape : landmark
    looking.lastIndex = from
    const found = looking.exec(text)
    if (found === null) return { at: text.length, isEnd: false }
    const at = found.index + 1
    if (isInString) {
      if (found[0] === '"') isInString = false
      else isEscaped = true
    } else if (found[0] === '"') isInString = true
    else if (found[0] === '{' || found[0] === '[') depth += 1
    else if (found[0] !== '\\') depth -= 1
    return { at, isEnd: depth === 0 }
  }

  return {
    /** @throws brokenList. */
    take: function* (text: string): Generator<string, void> {
      let at = 0
      while (at < text.length) {
        if (depth === 0) {
          at = outside(text, at)
          continue
        }
        const next = inside(text, at)
        item += text.slice(at, next.at)
        at = next.at
        if (item.length > maxItemCharacters) throw brokenList('has an item of more than 64 MB')
        if (!next.isEnd) continue
        place = 'between'
        yield item
        item = ''
      }
    },
    /** @throws brokenList if the list is not complete. */
    end: (): void => {
      if (place !== 'after') throw brokenList('ends in the middle')
    },
  }
}
