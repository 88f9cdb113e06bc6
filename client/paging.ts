// Paginated lists: one page at a time, or every item in turn.
import type { CallOptions, Transport } from './transport.ts'

export interface Page<Item> {
  readonly items: readonly Item[]
  /** The cursor of the next page; null on the last. */
  readonly next: string | null
}

/** Filters may contain undefined and null, as form values do; they are omitted. */
export type Filters<Fields> = { readonly [Name in keyof Fields]?: Fields[Name] | null | undefined } & {
  /** Page size. */
  readonly limit?: number | null | undefined
  /** `next` of the previous page. */
  readonly cursor?: string | null | undefined
}

export interface Pages<Fields, Item, Set extends Page<Item> = Page<Item>> {
  page(filters?: Filters<Fields>, options?: CallOptions): Promise<Set>
  /** Every item from there on; fetches the next page when needed. */
  each(filters?: Filters<Fields>, options?: CallOptions): AsyncGenerator<Item, void>
}

export function pagesOf<Fields, Item, Set extends Page<Item> = Page<Item>>(
  transport: Transport,
  path: string,
): Pages<Fields, Item, Set> {
  const page = (filters?: Filters<Fields>, options?: CallOptions): Promise<Set> =>
    transport.request<Set>('GET', path, { ...options, query: { ...filters } })

  async function* each(filters?: Filters<Fields>, options?: CallOptions): AsyncGenerator<Item, void> {
    let cursor = filters?.cursor
    do {
      const { items, next } = await page({ ...filters, cursor } as Filters<Fields>, options)
      yield* items
      cursor = next
    } while (cursor !== null)
  }
  return { page, each }
}

/** A paginated list that belongs to a parent ID. */
export interface PagesOfEach<Fields, Item> {
  page(id: number, filters?: Filters<Fields>, options?: CallOptions): Promise<Page<Item>>
  each(id: number, filters?: Filters<Fields>, options?: CallOptions): AsyncGenerator<Item, void>
}

export function pagesOfEach<Fields, Item>(
  transport: Transport,
  pathOf: (id: number) => string,
): PagesOfEach<Fields, Item> {
  const of = (id: number): Pages<Fields, Item> => pagesOf(transport, pathOf(id))
  return {
    page: (id, filters, options) => of(id).page(filters, options),
    each: (id, filters, options) => of(id).each(filters, options),
  }
}

/** The items of a list without pagination. */
export async function wholeSet<Item>(
  transport: Transport,
  path: string,
  options: CallOptions | undefined,
): Promise<readonly Item[]> {
  return (await transport.request<Page<Item>>('GET', path, options)).items
}
