import { parse, validate, type DocumentNode, type GraphQLError, type GraphQLSchema } from 'graphql';
import { boundedCache, bytesOfText } from '#server/observability/bounded-cache.ts';

export interface ValidatedDocument {
  readonly document: DocumentNode;
  readonly errors: readonly GraphQLError[];
}

/** As measured on the heap: what the nodes of a parsed text take for each of its characters. */
const BYTES_A_CHARACTER = 100;

/**
 * Parsed and checked once, however many clients send the same. Texts that are not valid are checked each time: no client
 * sends them again and again, and endless new ones would put out those that are in use.
 */
export class DocumentCache {
  private schema: GraphQLSchema | undefined;
  private readonly known = boundedCache<string, ValidatedDocument>({
    name: 'socket_documents',
    maxEntries: 1_000,
    maxBytes: 32 * 1024 * 1024, // 32 MiB
    bytesOf: (_checked, text) => bytesOfText(text) + BYTES_A_CHARACTER * text.length,
  });
  private readonly schemaNow: () => GraphQLSchema;

  constructor(schemaNow: () => GraphQLSchema) {
    this.schemaNow = schemaNow;
  }

  /** @throws GraphQLError if it cannot be parsed */
  of(text: string): ValidatedDocument {
    const schema = this.schemaNow();
    if (schema !== this.schema) this.known.clear();
    this.schema = schema;
    const known = this.known.get(text);
    if (known) return known;
    const document = parse(text);
    const checked = { document, errors: validate(schema, document) };
    if (checked.errors.length === 0) this.known.set(text, checked);
    return checked;
  }
}
