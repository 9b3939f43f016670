import { setImmediate } from 'node:timers/promises';
import { getOperationAST, parse, validate, type DocumentNode, type OperationDefinitionNode } from 'graphql';
import { LRUCache } from 'lru-cache';
import { OPERATION_LIMITS } from '#server/graphql/limits.ts';
import { costOf, tooCostly } from './cost.ts';
import { PreparedOperation, type OperationOptions } from './prepared-operation.ts';

/** What stands in a document: its operations, each prepared when it is first asked for. */
interface KnownDocument {
  readonly document: DocumentNode;
  readonly byName: Map<string, PreparedOperation>;
}

/** The operations of one supergraph that clients have asked for lately: bounded, so that endless new ones do no harm. */
export class Operations {
  private readonly options: OperationOptions;
  private readonly documents: LRUCache<string, KnownDocument>;

  constructor(options: OperationOptions, capacity: number) {
    this.options = options;
    this.documents = new LRUCache({ max: capacity });
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
    const prepared = new PreparedOperation(source, entry.document, operation, this.options);
    entry.byName.set(operationName ?? '', prepared);
    this.documents.set(source, entry);
    return prepared;
  }

  /** Of an operation that is not prepared here, as subscriptions are not. @throws OPERATION_LIMIT_EXCEEDED */
  checkCost(
    document: DocumentNode,
    operation: OperationDefinitionNode,
    variables: Readonly<Record<string, unknown>>,
  ): void {
    const { graph, directives, assumedListSize, maxListSize, costLimit } = this.options;
    const cost = costOf(document, operation, {
      schema: graph.apiSchema,
      directives,
      assumedListSize,
      maxListSize,
    })(variables);
    if (cost > costLimit) throw tooCostly(cost, costLimit);
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
      if (this.isValid(source)) for (const name of byName.keys()) this.prepare(source, name || undefined);
    }
  }

  private isValid(source: string): boolean {
    const errors = validate(this.options.graph.apiSchema, read(source), undefined, { maxErrors: 1 });
    return errors.length === 0;
  }
}

const read = (source: string): DocumentNode =>
  parse(source, { noLocation: true, maxTokens: OPERATION_LIMITS.tokens });
