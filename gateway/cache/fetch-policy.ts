import type { FetchNode } from '@apollo/query-planner';
import {
  getNamedType,
  isAbstractType,
  isCompositeType,
  Kind,
  OperationTypeNode,
  parse,
  type FieldNode,
  type GraphQLCompositeType,
  type GraphQLSchema,
  type SelectionSetNode,
} from 'graphql';
import { NO_CACHING, serviceOf, type CacheDirectives, type CacheRule } from './cache-directives.ts';

/** How long answers may be cached while this gateway is notified of changes, and which changes make them old. */
export interface SharedPolicy {
  readonly maxAgeSeconds: number;
  /** Whether an answer is for one user alone; otherwise it is for all callers of one role and gym. */
  readonly isPrivate: boolean;
  readonly kinds: readonly string[];
  /** Kinds of changes that services may notice late. */
  readonly delayed: readonly string[];
  /** The services of all kinds. */
  readonly services: readonly string[];
}

/** The policy of a fetch. */
export interface FetchPolicy extends SharedPolicy {
  /** The fields of a representation that decide the answer; undefined: all. */
  readonly by: readonly string[] | undefined;
}

/**
 * The policy of a fetch; undefined if a field may not be cached, or if no service notes its changes. Each field must depend on
 * changes of the service that answers: a type's directive says nothing about the fields that other services add to it.
 */
export function fetchPolicyOf(
  { operation, operationKind, serviceName }: FetchNode,
  schema: GraphQLSchema,
  directives: CacheDirectives,
): FetchPolicy | undefined {
  if (operationKind !== OperationTypeNode.QUERY) return undefined;
  const [definition] = parse(operation, { noLocation: true }).definitions;
  const query = schema.getQueryType();
  if (definition?.kind !== Kind.OPERATION_DEFINITION || !query) return undefined;
  const rules = new Rules(schema, directives, serviceName);
  rules.addRoot(definition.selectionSet, query);
  return rules.policy();
}

/** The policy of a response with the answers to these fetches; undefined if it may not be cached. */
export function responsePolicyOf(policies: readonly (FetchPolicy | undefined)[]): SharedPolicy | undefined {
  const known = policies.filter((policy) => policy !== undefined);
  if (known.length === 0 || known.length < policies.length || known.some(({ isPrivate }) => isPrivate))
    return undefined;
  return sharedPolicy(
    Math.min(...known.map(({ maxAgeSeconds }) => maxAgeSeconds)),
    false,
    known.flatMap(({ kinds }) => kinds),
    known.flatMap(({ delayed }) => delayed),
  );
}

function sharedPolicy(
  maxAgeSeconds: number,
  isPrivate: boolean,
  kinds: Iterable<string>,
  delayed: Iterable<string>,
): SharedPolicy {
  const late = [...new Set(delayed)].toSorted();
  const all = [...new Set([...kinds, ...late])].toSorted();
  return {
    maxAgeSeconds,
    isPrivate,
    kinds: all,
    delayed: late,
    services: [...new Set(all.map(serviceOf))],
  };
}

/** Collects the rules of all selected fields. */
class Rules {
  private readonly schema: GraphQLSchema;
  private readonly directives: CacheDirectives;
  private readonly service: string;
  private readonly kinds = new Set<string>();
  private readonly delayed = new Set<string>();
  private readonly by: (readonly string[] | undefined)[] = [];
  private maxAge = Infinity;
  private isPrivate = false;

  constructor(schema: GraphQLSchema, directives: CacheDirectives, service: string) {
    this.schema = schema;
    this.directives = directives;
    this.service = service;
  }

  policy(): FetchPolicy | undefined {
    const { maxAge, isPrivate, kinds, delayed, by } = this;
    if (maxAge === 0 || !Number.isFinite(maxAge)) return undefined;
    return {
      ...sharedPolicy(maxAge, isPrivate, kinds, delayed),
      by:
        by.length > 0 && by.every((one) => one !== undefined)
          ? [...new Set(by.flat())].toSorted()
          : undefined,
    };
  }

  addRoot({ selections }: SelectionSetNode, query: GraphQLCompositeType): void {
    for (const selection of selections) {
      if (selection.kind !== Kind.FIELD) this.refuse();
      else if (selection.name.value === '_entities') this.addEntities(selection);
      else this.addField(selection, query, NO_CACHING);
    }
  }

  private addEntities({ selectionSet }: FieldNode): void {
    for (const selection of selectionSet?.selections ?? []) {
      if (selection.kind === Kind.FIELD && selection.name.value === '__typename') continue;
      const type =
        selection.kind === Kind.INLINE_FRAGMENT && selection.typeCondition
          ? this.schema.getType(selection.typeCondition.name.value)
          : undefined;
      if (selection.kind !== Kind.INLINE_FRAGMENT || !isCompositeType(type)) return this.refuse();
      const ofType = this.directives.ofType(type.name);
      for (const field of selection.selectionSet.selections) {
        if (field.kind !== Kind.FIELD) return this.refuse();
        if (field.name.value !== '__typename') this.by.push(this.addField(field, type, ofType)?.by);
      }
    }
  }

  private addSelections(
    { selections }: SelectionSetNode,
    parent: GraphQLCompositeType,
    rule: CacheRule,
  ): void {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) this.addField(selection, parent, rule);
      else this.refuse(); // fragments are on abstract types, whose fields have no rules of their own
      if (this.maxAge === 0) return;
    }
  }

  private addField(
    node: FieldNode,
    parent: GraphQLCompositeType,
    inherited: CacheRule,
  ): CacheRule | undefined {
    if (node.name.value === '__typename') return undefined;
    const field = !isAbstractType(parent) ? parent.getFields()[node.name.value] : undefined;
    if (!field) {
      this.refuse();
      return undefined;
    }
    const rule = this.directives.ofField(parent, field, inherited, parent === this.schema.getQueryType());
    if (!rule.kinds.some((kind) => serviceOf(kind) === this.service)) this.refuse();
    this.maxAge = Math.min(this.maxAge, rule.maxAge);
    this.isPrivate ||= rule.isPrivate;
    for (const kind of rule.kinds) this.kinds.add(kind);
    for (const kind of rule.delayed) this.delayed.add(kind);
    const type = getNamedType(field.type);
    if (node.selectionSet && isCompositeType(type)) this.addSelections(node.selectionSet, type, rule);
    return rule;
  }

  private refuse(): void {
    this.maxAge = 0;
  }
}
