// Declares tables: row types, the personal data that each column may hold, and the binding of sealed values.
// Migrations create the tables, and a test compares both. docs/reference/stored-data.md is generated from the declarations.

/**
 * `nothing`: not about a person. `pseudonym`: a random id or a time of one person or session. `digest`: an HMAC, useless without the
 * master key. `sealed`: encrypted under the master key. `readable`: may be personal, and readable in the database.
 */
export type Protection = 'nothing' | 'pseudonym' | 'digest' | 'sealed' | 'readable';

export type ColumnValue = string | number | Uint8Array | null;

export interface Column<Kept extends ColumnValue = ColumnValue> {
  readonly type: 'text' | 'integer' | 'bytes';
  readonly isNullable: boolean;
  readonly protection: Protection;
  /** Meaning of the column for privacy; empty if its name says it. */
  readonly holds: string;
  readonly except?: readonly string[];
  /** Never set; carries the type. */
  readonly kept?: Kept;
}

type Columns = Readonly<Record<string, Column>>;
type RowOfColumns<Declared extends Columns> = {
  -readonly [Name in keyof Declared]: Declared[Name] extends Column<infer Kept> ? Kept : never;
};
type SealPlaces<Declared extends Columns> = {
  readonly [Name in keyof Declared]?: (row: RowOfColumns<Declared>, beside: never) => string;
};

/** Table without column types, for code that iterates over all tables. */
export interface Table {
  readonly about: string;
  readonly stays: string;
  /** Calls and commands that delete a row before its time. */
  readonly deletedBy: string;
  readonly key: readonly string[];
  readonly columns: Columns;
  /** Place of each sealed value. A value opens only at the place where it was sealed. */
  readonly places?: Readonly<Record<string, (row: never, beside: never) => string>>;
  /** Other table whose row the places need, and the column with that row's id. */
  readonly beside?: { readonly table: string; readonly by: string };
}

interface TypedTable<Declared extends Columns, Places extends SealPlaces<Declared>> extends Omit<Table, 'places'> {
  readonly key: readonly NoInfer<keyof Declared & string>[];
  readonly columns: Declared;
  readonly places?: Places;
  readonly beside?: { readonly table: string; readonly by: NoInfer<keyof Declared & string> };
}

export type SchemaRows<Tables extends Readonly<Record<string, { readonly columns: Columns }>>> = {
  [Name in keyof Tables]: RowOfColumns<Tables[Name]['columns']>;
};

export function defineTable<Declared extends Columns, Places extends SealPlaces<Declared> = Record<never, never>>(
  table: TypedTable<Declared, Places>,
): TypedTable<Declared, Places> & { readonly places: Places } {
  return { places: {} as Places, ...table };
}

export function text<Kept extends string = string>(protection: Protection, holds = ''): Column<Kept> {
  return { type: 'text', isNullable: false, protection, holds };
}

export function integer<Kept extends number = number>(protection: Protection, holds = ''): Column<Kept> {
  return { type: 'integer', isNullable: false, protection, holds };
}

export function bytes(protection: Protection, holds = ''): Column<Uint8Array> {
  return { type: 'bytes', isNullable: false, protection, holds };
}

export function nullable<Kept extends ColumnValue>(column: Column<Kept>): Column<Kept | null> {
  return { ...column, isNullable: true } as Column<Kept | null>;
}

/** Declares the column `mac`: a seal over all other columns but `except`. */
export function rowSeal({ except = [] }: { except?: readonly string[] } = {}): Column<Uint8Array> {
  return { ...bytes('digest', 'of the row, so that edits are noticed'), except };
}

export type BoundColumns<Names extends string> = Readonly<Record<Names, ColumnValue>>;

/** Binds a sealed value to columns of its row, as `<start>/<value>/<value>`. */
export function bindPath<Names extends string>(start: string, ...columns: readonly Names[]) {
  return (row: BoundColumns<Names>): string => {
    const values = columns.map((column) => encode(row[column], 'hex'));
    return `${start}/${values.join('/')}`;
  };
}

/** Binds a sealed value to columns of its row, as `<start>/["<value>",<number>]`. */
export function bindList<Names extends string>(start: string, ...columns: readonly Names[]) {
  return (row: BoundColumns<Names>): string =>
    `${start}/${JSON.stringify(columns.map((column) => encode(row[column], 'base64')))}`;
}

function encode(value: ColumnValue, encoding: 'hex' | 'base64'): string | number | null {
  return value instanceof Uint8Array ? Buffer.from(value).toString(encoding) : value;
}

export const DELETED_WITH = {
  session: '`DELETE` of the session; `deleteUser` of its person',
  person: '`deleteUser`, `limen people delete`',
  subject: '`DELETE /v2/screening/subjects/:id`',
};
export const PERSON_STAYS = 'until the person is deleted';
