import pg from 'pg';

/** The text of a `select` with its placeholders, `$1` and on. */
export interface Statement {
  /** The name under which a connection prepares the statement; undefined if it is not prepared. */
  readonly name: string | undefined;
  readonly text: string;
}

/**
 * Without a bound, texts that depend on a client's filters would fill the memory of each connection. The bound is larger than
 * the number of all other texts, even if all services run in one process.
 */
const MAX_PREPARED = 600;
const byText = new Map<string, Statement>();

/** The statement with this text, `$1` and on as placeholders, which each connection prepares at its first execution. */
export function statementFor(text: string): Statement {
  const known = byText.get(text);
  if (known) return known;
  if (byText.size >= MAX_PREPARED) return { name: undefined, text };
  const statement = { name: `read_${byText.size}`, text };
  byText.set(text, statement);
  return statement;
}

/** Undefined for a text of which `statementFor` has made no prepared statement. */
export const preparedStatement = (text: unknown): Statement | undefined =>
  typeof text === 'string' ? byText.get(text) : undefined;

/** pg's parser of rows; @types/pg does not declare its fields. */
interface RowParser {
  addFields(fields: readonly pg.FieldDef[]): void;
  parseRow(values: readonly (string | null)[]): unknown;
}

const { Result, utils } = pg as unknown as {
  readonly Result: new (rowMode: undefined, types: unknown) => RowParser;
  readonly utils: { prepareValue(value: unknown): string | Buffer | null };
};

/** pg's connection, with the members that @types/pg does not declare or declares with another signature. */
interface Connection {
  readonly stream: { cork(): void; uncork(): void };
  /** The text of each prepared statement by its name. */
  readonly parsedStatements: Readonly<Record<string, string>>;
  parse(message: { name: string; text: string }): void;
  bind(message: { statement: string; values: readonly (string | Buffer | null)[] }): void;
  describe(message: { type: 'P' }): void;
  execute(): void;
  sync(): void;
  sendCopyFail(message: string): void;
}

type Done = (error: Error | null | undefined, rows?: unknown[]) => void;

/** How a connection reads the rows of each statement that it has prepared. */
const parsers = new WeakMap<Connection, Map<string, RowParser>>();

/**
 * One execution of a `select` on a connection; an argument of pg's `query`, like a cursor of pg-cursor. pg's own queries ask
 * for a description of the rows at each execution. If the statement is prepared, this class asks for it once for each
 * connection: the description stays true, because PostgreSQL refuses a prepared statement whose columns have changed.
 */
export class PreparedRead implements pg.Submittable {
  // pg reads these three: it notes which statements a connection has prepared, and replaces `callback`.
  readonly name: string;
  readonly text: string;
  callback: Done;
  private readonly values: readonly (string | Buffer | null)[];
  private readonly types: unknown;
  private readonly rows: unknown[] = [];
  private parser: RowParser | undefined;
  private failure: Error | undefined;

  /**
   * @param types pg's parsers of the values of columns
   * @throws for a value that has no text, such as a circular object
   */
  constructor({ name = '', text }: Statement, values: readonly unknown[], types: unknown, callback: Done) {
    this.name = name;
    this.text = text;
    // Not in `submit`, because this throws for a value that cannot be sent, and pg may call `submit` while it reads the socket.
    this.values = values.map((value) => utils.prepareValue(value));
    this.types = types;
    this.callback = callback;
  }

  submit(given: unknown): Error | undefined {
    const connection = given as Connection;
    const isPrepared = this.name !== '' && connection.parsedStatements[this.name] === this.text;
    this.parser = isPrepared ? parsers.get(connection)?.get(this.name) : undefined;
    connection.stream.cork(); // one packet for all messages
    try {
      if (!isPrepared) connection.parse({ name: this.name, text: this.text });
      connection.bind({ statement: this.name, values: this.values });
      if (!this.parser) connection.describe({ type: 'P' });
      connection.execute();
      connection.sync();
    } finally {
      connection.stream.uncork();
    }
    return undefined;
  }

  handleRowDescription(message: { fields: readonly pg.FieldDef[] }): void {
    this.parser = new Result(undefined, this.types);
    this.parser.addFields(message.fields);
  }

  handleDataRow(message: { fields: readonly (string | null)[] }): void {
    if (this.failure) return;
    try {
      this.rows.push(this.parser?.parseRow(message.fields));
    } catch (error) {
      this.failure = error as Error;
    }
  }

  handleReadyForQuery(connection: Connection): void {
    if (this.failure) return this.callback(this.failure);
    if (this.name !== '' && this.parser) {
      const known = parsers.get(connection) ?? new Map<string, RowParser>();
      known.set(this.name, this.parser);
      parsers.set(connection, known);
    }
    this.callback(null, this.rows);
  }

  handleError(error: Error): void {
    this.callback(this.failure ?? error);
  }

  // Messages that need no answer, or that no `select` causes.
  handleCommandComplete(): void {}
  handleEmptyQuery(): void {}
  handlePortalSuspended(): void {}
  handleCopyData(): void {}
  handleCopyInResponse(connection: Connection): void {
    connection.sendCopyFail('A read has no data to send.');
  }
}
