import {
  BREAK,
  getOperationAST,
  OperationTypeNode,
  parse,
  validate,
  visit,
  type DocumentNode,
  type OperationDefinitionNode,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { checkDocument, OPERATION_LIMITS } from '#server/graphql/limits.ts';
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
   * Ready from now on. Undefined where it cannot be: it does not parse or is not valid, names no operation, is a
   * subscription, or asks for the schema; the server in front says so better, or answers it.
   */
  prepare(source: string, operationName: string | undefined): PreparedOperation | undefined {
    const known = this.known(source, operationName);
    if (known) return known;
    const entry = this.documents.get(source) ?? this.read(source);
    const operation = entry && getOperationAST(entry.document, operationName);
    if (!entry || !operation || operation.operation === OperationTypeNode.SUBSCRIPTION) return undefined;
    if (asksForSchema(entry.document)) return undefined;
    return this.add(source, entry, operation, operationName);
  }

  /** Of a document that the server in front has parsed and validated already. */
  prepareParsed(
    source: string,
    document: DocumentNode,
    operation: OperationDefinitionNode,
    operationName: string | undefined,
  ): PreparedOperation {
    const known = this.known(source, operationName);
    if (known) return known;
    const entry = this.documents.get(source) ?? { document, byName: new Map() };
    const own = getOperationAST(entry.document, operationName) ?? operation;
    return this.add(source, entry, own, operationName);
  }

  /** Prepares what another supergraph's clients asked for lately, the latest first, until `millis` are over. */
  warmUp(before: Operations, millis: number): void {
    const until = performance.now() + millis;
    for (const [source, { byName }] of before.documents.entries())
      for (const name of byName.keys()) {
        if (performance.now() > until) return;
        this.prepare(source, name || undefined);
      }
  }

  private read(source: string): KnownDocument | undefined {
    try {
      const document = parse(source, { noLocation: true, maxTokens: OPERATION_LIMITS.tokens });
      checkDocument(document, OPERATION_LIMITS);
      const isValid = validate(this.options.graph.apiSchema, document, undefined, { maxErrors: 1 }).length === 0;
      return isValid ? { document, byName: new Map() } : undefined;
    } catch {
      return undefined;
    }
  }

  private add(
    source: string,
    entry: KnownDocument,
    operation: OperationDefinitionNode,
    operationName: string | undefined,
  ): PreparedOperation {
    const prepared = new PreparedOperation(source, entry.document, operation, this.options);
    entry.byName.set(operationName ?? '', prepared);
    this.documents.set(source, entry);
    return prepared;
  }
}

function asksForSchema(document: DocumentNode): boolean {
  let asks = false;
  visit(document, {
    Field({ name }) {
      asks ||= name.value === '__schema' || name.value === '__type';
      return asks ? BREAK : undefined;
    },
  });
  return asks;
}
