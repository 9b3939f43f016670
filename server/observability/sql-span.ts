import { boundedCache } from './bounded-cache.ts';
import { activeSpan, errorTypeOf, SpanKind, type Attributes, type Span } from './tracing.ts';

/** What the spans of a statement have in common. */
interface Statement {
  readonly name: string;
  readonly attributes: Attributes;
}

const statements = boundedCache<string, Statement>({
  name: 'traced_statements',
  maxEntries: 2_000,
  maxBytes: 8 * 1024 * 1024, // 8 MiB
  bytesOf: (_statement, text) => 6 * text.length + 500,
});

/** Begins the span of a statement, if the running work is sampled. */
export function beginStatement(text: unknown, database: string | undefined): Span | undefined {
  const parent = activeSpan();
  if (!parent) return undefined;
  const sql = textOf(text);
  if (sql === undefined || BEGIN.test(sql)) return undefined;
  const { name, attributes } = statementOf(sql);
  const span = parent.child(name, { kind: SpanKind.client, attributes });
  if (database !== undefined) span.set({ 'db.namespace': database });
  return span;
}

export function endStatement(span: Span, error: unknown): void {
  if (error) {
    const type = errorTypeOf(error);
    span.fail(type);
    if (SQLSTATE.test(type)) span.set({ 'db.response.status_code': type });
  }
  span.end();
}

/** A `begin` gets no span: it waits for nothing but its answer, and the span of the `commit` shows the transaction. */
const BEGIN = /^\s*begin\b/i;
const SQLSTATE = /^[0-9A-Z]{5}$/;

function textOf(query: unknown): string | undefined {
  if (typeof query === 'string') return query;
  const { text } = (query ?? {}) as { text?: unknown };
  return typeof text === 'string' ? text : undefined;
}

/** The first table of a statement. A name before `(` is a function, as in `extract(epoch from now())`. */
const COLLECTION = /\b(?:into|update)\s+"?([a-z_][\w.]*)|\bfrom\s+"?([a-z_][\w.]*)\b(?!\s*\()/i;

function statementOf(sql: string): Statement {
  const known = statements.get(sql);
  if (known) return known;
  const operation = /^[\s(]*([a-z]+)/i.exec(sql)?.[1]?.toUpperCase() ?? 'SQL';
  const found = COLLECTION.exec(sql);
  const collection = found?.[1] ?? found?.[2];
  const summary = collection ? `${operation} ${collection}` : operation;
  const statement: Statement = {
    name: summary,
    attributes: {
      'db.system.name': 'postgresql',
      'db.operation.name': operation,
      'db.collection.name': collection,
      'db.query.summary': summary,
      'db.query.text': withoutValues(sql),
    },
  };
  statements.set(sql, statement);
  return statement;
}

/**
 * A statement with `?` instead of its texts and numbers: MikroORM writes values into some statements. Names in double quotes
 * and placeholders such as `$1` stay.
 */
export const withoutValues = (sql: string): string =>
  sql
    .replaceAll(/"(?:[^"]|"")*"|(?:\be)?'(?:[^'\\]|''|\\.)*'|\$(\w*)\$[^]*?\$\1\$/gi, (part) =>
      part.startsWith('"') ? part : '?',
    )
    .replaceAll(/(?<![\w$".])-?\d+(?:\.\d+)?(?![\w"])/g, '?')
    .replaceAll(/\s+/g, ' ')
    .trim();
