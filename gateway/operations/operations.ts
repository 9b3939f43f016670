import { setImmediate } from 'node:timers/promises';
import {
  getOperationAST,
  getVariableValues,
  parse,
  validate,
  type DocumentNode,
  type OperationDefinitionNode,
} from 'graphql';
import type { LRUCache } from 'lru-cache';
import type { Viewer } from '#server/auth/viewer.ts';
import { OPERATION_LIMITS } from '#server/graphql/limits.ts';
import { costCheck } from '#server/graphql/cost.ts';
import { refusalOfVariables } from '#server/graphql/variable-limits.ts';
import { boundedCache, bytesOfText } from '#server/observability/bounded-cache.ts';
import { PreparedOperation, type OperationOptions } from './prepared-operation.ts';

/** What stands in a document: its operations, each prepared when it is first asked for. */
interface KnownDocument {
  readonly document: DocumentNode;
  readonly byName: Map<string, PreparedOperation>;
}

/** Of all operations that are kept ready. */
const MAX_BYTES = 64 * 1024 * 1024; // 64 MiB

/** The operations of one supergraph that clients have asked for lately. */
export class Operations {
  private readonly options: OperationOptions;
  private readonly documents: LRUCache<string, KnownDocument>;

  constructor(options: OperationOptions, capacity: number) {
    this.options = options;
    this.documents = boundedCache({
      name: 'operations',
      maxEntries: capacity,
      maxBytes: MAX_BYTES,
      bytesOf: ({ byName }, source) =>
        [...byName.values()].reduce((total, { bytes }) => total + bytes, bytesOfText(source)),
    });
  }

  /** How many documents are known. */
  get size(): number {
    return this.documents.size;
  }

  /** Ready at once, where it was asked for before. */
  known(source: string, operationName: string | undefined): PreparedOperation | undefined {
    return this.documents.get(source)?.byName.get(operationName ?? '');
  }

  /**
   * Ready from now on. `source` has been parsed, found to be within the limits and validated by the server in front.
   * @throws Error where it names no operation
   */
  prepare(source: string, operationName: string | undefined): PreparedOperation {
    const known = this.known(source, operationName);
    if (known) return known;
    // Parsed once more: without locations, which weigh more than all the rest.
    const entry = this.documents.get(source) ?? { document: read(source), byName: new Map() };
    const operation = getOperationAST(entry.document, operationName);
    if (!operation) throw new Error(`there is no operation "${operationName ?? ''}" in the document`);
    const prepared = new PreparedOperation(source, entry.document, operation, this.options, () => {
      if (this.documents.peek(source) === entry) this.documents.set(source, entry); // it is larger now
    });
    entry.byName.set(operationName ?? '', prepared);
    this.documents.set(source, entry);
    return prepared;
  }

  /** Checks the cost of an operation that is not prepared here, such as a subscription. @throws OPERATION_LIMIT_EXCEEDED */
  checkCost(
    document: DocumentNode,
    operation: OperationDefinitionNode,
    variables: Readonly<Record<string, unknown>>,
    viewer: Viewer,
  ): void {
    const tooLarge = refusalOfVariables(variables);
    if (tooLarge) throw tooLarge;
    const { apiSchema } = this.options.graph;
    const { errors, coerced } = getVariableValues(apiSchema, operation.variableDefinitions ?? [], variables);
    if (errors) return; // the execution says what is wrong with them
    const refusal = costCheck(document, operation, { ...this.options, schema: apiSchema })(coerced, viewer);
    if (refusal) throw refusal;
  }

  /**
   * Prepares what clients of the supergraph before asked for lately, the latest first, until `millis` are over; other
   * requests are answered meanwhile.
   */
  async warmUp(before: Operations, millis: number): Promise<void> {
    const until = performance.now() + millis;
    const documents = [...before.documents.entries()]; // they are used meanwhile
    for (const [source, { byName }] of documents) {
      if (performance.now() > until) return;
      await setImmediate();
      if (this.isValid(source))
        for (const name of byName.keys()) this.prepare(source, name || undefined).warmUp();
    }
  }

  private isValid(source: string): boolean {
    const errors = validate(this.options.graph.apiSchema, read(source), undefined, { maxErrors: 1 });
    return errors.length === 0;
  }
}

const read = (source: string): DocumentNode =>
  parse(source, { noLocation: true, maxTokens: OPERATION_LIMITS.tokens });
