// kysely's dialect over our driver of PostgreSQL, whose texts are compared by their bytes, as SQLite compares them.
import {
  AlterTableNode,
  ColumnDefinitionNode,
  CreateTableNode,
  DataTypeNode,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  RawNode,
  type Dialect,
  type Driver,
  type QueryCompiler,
  type RootOperationNode,
} from 'kysely'

const bytewiseText = RawNode.createWithSql('text collate "C"')

function bytewiseColumn(column: ColumnDefinitionNode): ColumnDefinitionNode {
  const { dataType } = column
  return DataTypeNode.is(dataType) && dataType.dataType === 'text'
    ? { ...column, dataType: bytewiseText }
    : column
}

/**
 * Whatever the collation of the database: the order of lists is part of their cursors and of the contract, and it must
 * not change with the locale of a machine, nor with an upgrade of its C library, which has broken indexes of others.
 */
function bytewise(node: RootOperationNode): RootOperationNode {
  if (CreateTableNode.is(node)) return { ...node, columns: node.columns.map(bytewiseColumn) }
  if (!AlterTableNode.is(node) || node.columnAlterations === undefined) return node
  const columnAlterations = node.columnAlterations.map((alteration) =>
    alteration.kind === 'AddColumnNode'
      ? { ...alteration, column: bytewiseColumn(alteration.column) }
      : alteration,
  )
  return { ...node, columnAlterations }
}

function createCompiler(): QueryCompiler {
  const compiler = new PostgresQueryCompiler()
  return { compileQuery: (node, queryId) => compiler.compileQuery(bytewise(node), queryId) }
}

/** The same for all, so that statements that one of them has prepared are known to all (prepared-rows.ts). */
const adapter = new PostgresAdapter()

export const createPostgresDialect = (createDriver: () => Driver): Dialect => ({
  createAdapter: () => adapter,
  createIntrospector: (db) => new PostgresIntrospector(db),
  createQueryCompiler: createCompiler,
  createDriver,
})
