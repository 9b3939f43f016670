import type { ApolloServerPlugin, BaseContext } from '@apollo/server';
import {
  getOperationAST,
  OperationTypeNode,
  parse,
  visit,
  type DocumentNode,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import { boundedCache, bytesOfText } from '../../observability/bounded-cache.ts';
import { compiledQuery, type CompiledQuery } from '../executor/compiled-query.ts';

/** A query that Apollo Server has parsed, validated and checked before. */
export interface KnownQuery {
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly query: CompiledQuery;
}

/** The function that compiles a query; measurements replace it. */
export type Compile = typeof compiledQuery;

const MAX_QUERIES = 2_000;
const MAX_BYTES = 64 * 1024 * 1024; // 64 MiB
/**
 * Measured on the heap, with operations of 26 to 173 characters: the memory of an entry, and the memory per character of its text.
 * The document takes the latter once, and each selection that is kept takes it once more.
 */
const BYTES_PER_ENTRY = 4_096;
const BYTES_PER_CHARACTER = 40;

/** The queries of one service that are executed without Apollo Server. The least recently used ones are dropped. */
export class KnownQueries {
  private readonly schema: GraphQLSchema;
  private readonly compile: Compile;
  private readonly queries = boundedCache<string, KnownQuery>({
    name: 'compiled_queries',
    maxEntries: MAX_QUERIES,
    maxBytes: MAX_BYTES,
    bytesOf: ({ query }, key) =>
      BYTES_PER_ENTRY + bytesOfText(key) + BYTES_PER_CHARACTER * key.length * (1 + query.maxSelections),
  });

  constructor(schema: GraphQLSchema, compile: Compile = compiledQuery) {
    this.schema = schema;
    this.compile = compile;
  }

  of(text: string, operationName: string | undefined): KnownQuery | undefined {
    const known = this.queries.get(keyOf(text, operationName));
    return known?.document.loc?.source.body === text ? known : undefined;
  }

  /** Adds each query that Apollo Server is about to execute. It has to be the last plugin, after those that refuse operations. */
  plugin<Context extends BaseContext>(): ApolloServerPlugin<Context> {
    return {
      requestDidStart: async () => ({
        didResolveOperation: async ({ request: { operationName }, source, operation }) => {
          if (operation?.operation === OperationTypeNode.QUERY) this.add(source, operationName || undefined);
        },
      }),
    };
  }

  private add(text: string, operationName: string | undefined): void {
    const key = keyOf(text, operationName);
    if (this.queries.has(key)) return;
    // Parsed again, because Apollo Server keeps the nodes of its own document.
    const document = withoutTokens(parse(text));
    const operation = getOperationAST(document, operationName);
    const query = operation && this.compile(this.schema, document, operation);
    if (query) this.queries.set(key, { document, operation, query });
  }
}

/**
 * Two requests may have one key, for example the text "query\n{ a }", and the text "{ a }" with the name "query". So `of`
 * compares the text, too.
 */
const keyOf = (text: string, operationName: string | undefined): string =>
  operationName === undefined ? text : `${operationName}\n${text}`;

/**
 * Errors name lines and columns, for which each node needs its offset in the text. The tokens, to which the parser also
 * links each node, take several times the memory of all nodes.
 */
function withoutTokens(document: DocumentNode): DocumentNode {
  const strip = (node: { loc?: DocumentNode['loc'] }): void => {
    const { loc } = node;
    if (loc) Object.assign(node, { loc: { start: loc.start, end: loc.end, source: loc.source } });
  };
  visit(document, { enter: (node) => strip(node) });
  return document;
}
