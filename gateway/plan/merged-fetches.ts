import type { FetchNode, PlanNode } from '@apollo/query-planner';
import {
  Kind,
  parse,
  print,
  stripIgnoredCharacters,
  visit,
  type FieldNode,
  type FragmentDefinitionNode,
  type NameNode,
  type OperationDefinitionNode,
  type VariableDefinitionNode,
} from 'graphql';
import type { FlattenPath } from '../response/response-path.ts';

/** The maximum number of fetches in one request, because services limit root fields and aliases. */
const MAX_FETCHES = 8;
/** The maximum length of a merged text, within the services' limit of tokens for callers without a token. */
const MAX_CHARACTERS = 8_000;

/** A branch of parallel nodes that begins with a fetch of entities. */
export interface Branch {
  readonly fetch: FetchNode;
  readonly path: FlattenPath;
  /** What runs after the fetch. */
  readonly rest: readonly PlanNode[];
}

/** One request for the fetches with which the branches begin. */
export interface MergedBranches {
  readonly branches: readonly Branch[];
  readonly node: FetchNode;
  /** The name of each fetch's own variable with representations, and the alias of its `_entities`. */
  readonly names: readonly MergedNames[];
}

export interface MergedNames {
  readonly alias: string;
  readonly variable: string;
}

/**
 * Finds the parallel nodes that begin with fetches of entities from one subgraph. Such fetches start at the same time, so
 * they can be one request.
 * @param mayMerge whether a fetch may be part of a request for several
 */
export function mergedBranches(
  nodes: readonly PlanNode[],
  mayMerge: (fetch: FetchNode) => boolean,
): { merged: MergedBranches[]; others: PlanNode[] } {
  const others: PlanNode[] = [];
  const candidates: { node: PlanNode; branch: Branch }[] = [];
  for (const node of nodes) {
    const branch = branchOf(node);
    if (branch && mayMerge(branch.fetch)) candidates.push({ node, branch });
    else others.push(node);
  }
  const merged: MergedBranches[] = [];
  for (const all of Map.groupBy(candidates, ({ branch }) => branch.fetch.serviceName).values())
    for (let at = 0; at < all.length; at += MAX_FETCHES) {
      const some = all.slice(at, at + MAX_FETCHES);
      const one = mergedOf(some.map(({ branch }) => branch));
      if (one) merged.push(one);
      else others.push(...some.map(({ node }) => node));
    }
  return { merged, others };
}

/** Undefined if the node does not begin with one fetch of entities. */
function branchOf(node: PlanNode): Branch | undefined {
  if (node.kind === 'Sequence') {
    const [first, ...rest] = node.nodes;
    const branch = first?.kind === 'Flatten' ? branchOf(first) : undefined;
    return branch && { ...branch, rest };
  }
  if (node.kind !== 'Flatten' || node.node.kind !== 'Fetch' || !node.node.requires) return undefined;
  return { fetch: node.node, path: node.path.map(String), rest: [] };
}

/** Undefined if the operations cannot be one. */
function mergedOf(branches: readonly Branch[]): MergedBranches | undefined {
  const [first] = branches;
  if (!first || branches.length === 1) return undefined;
  const variableUsages = [...new Set(branches.flatMap(({ fetch }) => fetch.variableUsages ?? []))];
  const names = branches.map((_, index) => ({
    alias: `_entities${index}`,
    variable: `representations${index}`,
  }));
  if (names.some(({ variable }) => variableUsages.includes(variable))) return undefined;
  const operation = mergedText(
    branches.map(({ fetch }) => fetch.operation),
    names,
  );
  if (operation === undefined || operation.length > MAX_CHARACTERS) return undefined;
  return { branches, node: { ...first.fetch, operation, variableUsages }, names };
}

/** Undefined if an operation does not have the form in which the planner writes fetches of entities. */
function mergedText(texts: readonly string[], names: readonly MergedNames[]): string | undefined {
  const parts = texts.map((text, index) => entitiesPart(text, names[index] as MergedNames));
  const [first] = parts;
  const known = parts.filter((part) => part !== undefined);
  if (!first || known.length < parts.length) return undefined;
  const variableDefinitions = distinct(known.flatMap(({ operation }) => operation.variableDefinitions ?? []));
  const fragments = distinct(known.flatMap((part) => part.fragments));
  if (!variableDefinitions || !fragments) return undefined;
  const selections = known.map(({ field }) => field);
  const operation: OperationDefinitionNode = {
    ...first.operation,
    variableDefinitions,
    selectionSet: { kind: Kind.SELECTION_SET, selections },
  };
  return stripIgnoredCharacters(print({ kind: Kind.DOCUMENT, definitions: [operation, ...fragments] }));
}

interface EntitiesPart {
  readonly operation: OperationDefinitionNode;
  /** Its only field. */
  readonly field: FieldNode;
  readonly fragments: readonly FragmentDefinitionNode[];
}

/** A fetch's operation with the names for the merged request; undefined as in `mergedText`. */
function entitiesPart(text: string, { alias, variable }: MergedNames): EntitiesPart | undefined {
  const document = visit(parse(text, { noLocation: true }), {
    Variable: (node) =>
      node.name.value === 'representations' ? { ...node, name: nameOf(variable) } : undefined,
  });
  const [operation, ...fragments] = document.definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION || operation.directives?.length) return undefined;
  const [field, another] = operation.selectionSet.selections;
  if (field?.kind !== Kind.FIELD || field.name.value !== '_entities' || another) return undefined;
  if (!fragments.every((one) => one.kind === Kind.FRAGMENT_DEFINITION)) return undefined;
  return { operation, field: { ...field, alias: nameOf(alias) }, fragments };
}

const nameOf = (value: string): NameNode => ({ kind: Kind.NAME, value });

/** Each definition once; undefined if different ones have one name. */
function distinct<Definition extends VariableDefinitionNode | FragmentDefinitionNode>(
  definitions: readonly Definition[],
): Definition[] | undefined {
  const byName = new Map<string, Definition>();
  for (const definition of definitions) {
    const { value } = 'variable' in definition ? definition.variable.name : definition.name;
    const known = byName.get(value);
    if (known && print(known) !== print(definition)) return undefined;
    byName.set(value, definition);
  }
  return [...byName.values()];
}
