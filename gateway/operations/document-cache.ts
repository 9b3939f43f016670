import { GraphQLError, parse, validate, type DocumentNode, type GraphQLSchema } from 'graphql';
import { PlatformError } from '#server/errors.ts';
import { boundedCache, bytesOfText } from '#server/observability/bounded-cache.ts';
import { OPERATION_RULES } from '../defer/defer-rules.ts';

interface ValidatedDocument {
  readonly document: DocumentNode;
  readonly errors: readonly GraphQLError[];
}

/** Measured on the heap: the memory of a parsed document's nodes for each character of its text. */
const BYTES_PER_CHARACTER = 100;

/**
 * Parses and validates each text once, however many clients send it. Invalid texts are not cached: clients do not repeat
 * them, and many different ones would displace the valid ones.
 */
export class DocumentCache {
  private schema: GraphQLSchema | undefined;
  private readonly known = boundedCache<string, ValidatedDocument>({
    name: 'subscription_documents',
    maxEntries: 1_000,
    maxBytes: 32 * 1024 * 1024, // 32 MiB
    bytesOf: (_checked, text) => bytesOfText(text) + BYTES_PER_CHARACTER * text.length,
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
    const checked = { document, errors: validate(schema, document, OPERATION_RULES) };
    if (checked.errors.length === 0) this.known.set(text, checked);
    return checked;
  }
}

/** An error of the validation as clients get it. @param message as the caller may see it */
export const invalidDocument = (error: GraphQLError, message = error.message): GraphQLError =>
  new GraphQLError(message, {
    nodes: error.nodes,
    // A scalar that refuses a value has a code of its own, the same as over HTTP.
    extensions: {
      code:
        error.originalError instanceof PlatformError ? error.originalError.code : 'GRAPHQL_VALIDATION_FAILED',
    },
  });
