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
import { OPERATION_RULES } from '../defer/defer-rules.ts';
import { PreparedOperation, type OperationOptions } from './prepared-operation.ts';

/** A document, and those of its operations that are prepared, by name. */
interface KnownDocument {
  readonly document: DocumentNode;
  readonly byName: Map<string, PreparedOperation>;
}

/** The maximum memory of all prepared operations. */
const MAX_BYTES = 64 * 1024 * 1024; // 64 MiB

/** The prepared operations of one supergraph; the least recently used ones are dropped. */
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

  /** The number of documents. */
  get size(): number {
    return this.documents.size;
  }

  /** Undefined if the operation is not prepared. */
  known(source: string, operationName: string | undefined): PreparedOperation | undefined {
    return this.documents.get(source)?.byName.get(operationName ?? '');
  }

  /**
   * Prepares the operation, unless it is prepared already. The calling code has validated `source` and checked its size
   * (`OPERATION_LIMITS`).
   * @throws Error if the document has no such operation
   */
  prepare(source: string, operationName: string | undefined): PreparedOperation {
    const known = this.known(source, operationName);
    if (known) return known;
    // Parsed a second time without locations, which take more memory than the rest of the document.
    const entry = this.documents.get(source) ?? { document: read(source), byName: new Map() };
    const operation = getOperationAST(entry.document, operationName);
    if (!operation) throw new Error(`there is no operation "${operationName ?? ''}" in the document`);
    const prepared = new PreparedOperation(source, entry.document, operation, this.options, () => {
      if (this.documents.peek(source) === entry) this.documents.set(source, entry); // so that the cache counts the memory of the new plan
    });
    entry.byName.set(operationName ?? '', prepared);
    this.documents.set(source, entry);
    return prepared;
  }

  /**
   * Checks the cost of an operation that is not prepared here, such as a subscription.
   * @returns the estimated cost
   * @throws OPERATION_LIMIT_EXCEEDED
   */
  checkCost(
    document: DocumentNode,
    operation: OperationDefinitionNode,
    variables: Readonly<Record<string, unknown>>,
    viewer: Viewer,
  ): number {
    const tooLarge = refusalOfVariables(variables);
    if (tooLarge) throw tooLarge;
    const { apiSchema } = this.options.graph;
    const { errors, coerced } = getVariableValues(apiSchema, operation.variableDefinitions ?? [], variables);
    if (errors) return 0; // the execution reports them
    const check = costCheck(document, operation, { ...this.options, schema: apiSchema });
    const refusal = check(coerced, viewer);
    if (refusal) throw refusal;
    return check.of(coerced);
  }

  /**
   * Prepares the operations of the previous supergraph, the most recently used first, until `millis` are over. The event
   * loop handles other requests in between.
   */
  async warmUp(before: Operations, millis: number): Promise<void> {
    const until = performance.now() + millis;
    const documents = [...before.documents.entries()]; // a copy, because requests change the order in between
    for (const [source, { byName }] of documents) {
      if (performance.now() > until) return;
      await setImmediate();
      if (this.isValid(source))
        for (const name of byName.keys()) this.prepare(source, name || undefined).warmUp();
    }
  }

  private isValid(source: string): boolean {
    const errors = validate(this.options.graph.apiSchema, read(source), OPERATION_RULES, { maxErrors: 1 });
    return errors.length === 0;
  }
}

const read = (source: string): DocumentNode =>
  parse(source, { noLocation: true, maxTokens: OPERATION_LIMITS.tokens });
