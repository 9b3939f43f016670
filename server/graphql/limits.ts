import {
  Kind,
  parse,
  type ASTNode,
  type DocumentNode,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { PlatformError } from '../errors.ts';
import { boundedCache, bytesOfText } from '../observability/bounded-cache.ts';
import { fragmentsOf, type Fragments } from './fragments.ts';

/** How large a GraphQL operation may be. */
export interface OperationLimits {
  /** Of the whole text, comments included. Long values belong in variables. */
  characters: number;
  depth: number;
  /** For `__schema` and `__type`, whose own queries are deep. */
  introspectionDepth: number;
  aliases: number;
  rootFields: number;
  tokens: number;
  directives: number;
  /** Fields and fragments after each spread is replaced by what it stands for: validation, planning and execution see those. */
  selections: number;
  /** Those of them that have selections of their own. Planning grows with them: each may need a request of its own. */
  objects: number;
}

export const OPERATION_LIMITS: OperationLimits = {
  characters: 64 * 1024,
  depth: 12,
  introspectionDepth: 16,
  aliases: 30,
  rootFields: 20,
  tokens: 2_000,
  directives: 20,
  selections: 2_000,
  objects: 200,
};

/**
 * A subgraph sees what the gateway planned: the same depth below `_entities`, one alias more for each path, fragments
 * written out, and beside the fields of the client the keys and `__typename` of entities.
 */
export const SUBGRAPH_LIMITS: OperationLimits = {
  ...OPERATION_LIMITS,
  characters: 4 * OPERATION_LIMITS.characters,
  depth: OPERATION_LIMITS.depth + 2,
  aliases: 200,
  rootFields: 60,
  tokens: 8_000,
  // A condition around fields of several places is repeated at each of them.
  directives: 400,
  selections: 2 * OPERATION_LIMITS.selections,
  objects: 2 * OPERATION_LIMITS.selections,
};

/**
 * What one operation may cost a service: twice the gateway's own default, because what the gateway sends to one service
 * is a part of what a client asked for, with the keys of entities beside it.
 */
export const SUBGRAPH_COST_LIMIT = 10_000;

/**
 * Checks operations before validation and execution, whose own cost grows faster than the document
 * (overlapping fields are compared pair by pair). Documents that passed are remembered.
 */
export function operationLimiter(limits: OperationLimits) {
  const passed = boundedCache<string, true>({
    name: 'operations_within_limits',
    maxEntries: 1_000,
    maxBytes: 4 * 1024 * 1024,
    bytesOf: (_true, query) => bytesOfText(query),
  });
  return {
    /** @throws OPERATION_LIMIT_EXCEEDED; what does not parse is left to the server, whose message is better. */
    check(query: string): void {
      if (query.length > limits.characters) throw exceeded('characters', limits.characters);
      if (passed.has(query)) return;
      const document = parsed(query, limits.tokens);
      if (!document) return;
      checkDocument(document, limits);
      passed.set(query, true);
    },
  };
}

function parsed(query: string, maxTokens: number): DocumentNode | undefined {
  try {
    return parse(query, { noLocation: true, maxTokens });
  } catch (error) {
    if (error instanceof Error && /more tha[nt] \d+ tokens/.test(error.message))
      throw exceeded('tokens', maxTokens);
    return undefined;
  }
}

/** @throws OPERATION_LIMIT_EXCEEDED naming the limit. */
export function checkDocument(document: DocumentNode, limits: OperationLimits): void {
  const fragments = fragmentsOf(document);
  const operations = document.definitions.filter((one) => one.kind === Kind.OPERATION_DEFINITION);
  for (const operation of operations) {
    const size = new Measure(fragments).of(operation);
    if (size.selections > limits.selections)
      throw exceeded('selections in its expanded fragments', limits.selections);
    if (size.objects > limits.objects) throw exceeded('objects in its expanded fragments', limits.objects);
    if (size.depth > limits.depth) throw exceeded('depth', limits.depth);
    if (size.introspectionDepth > limits.introspectionDepth)
      throw exceeded('introspection depth', limits.introspectionDepth);
    if (size.aliases > limits.aliases) throw exceeded('aliases', limits.aliases);
    if (size.rootFields > limits.rootFields) throw exceeded('root fields', limits.rootFields);
    if (size.directives > limits.directives) throw exceeded('directives', limits.directives);
  }
}

interface Size {
  depth: number;
  introspectionDepth: number;
  /** Saturating: fragments that use fragments multiply. */
  aliases: number;
  directives: number;
  rootFields: number;
  selections: number;
  objects: number;
}

const NONE: Size = {
  depth: 0,
  introspectionDepth: 0,
  aliases: 0,
  directives: 0,
  rootFields: 0,
  selections: 0,
  objects: 0,
};
const MANY = 1e9;

/** Each fragment is measured once, so a document of n nodes costs n steps however its fragments multiply. */
class Measure {
  private readonly fragments: Fragments;
  private readonly known = new Map<string, Size>();

  constructor(fragments: Fragments) {
    this.fragments = fragments;
  }

  of(operation: OperationDefinitionNode): Size {
    const inside = this.selections(operation.selectionSet);
    const inVariables =
      operation.variableDefinitions?.reduce((sum, variable) => sum + (variable.directives?.length ?? 0), 0) ??
      0;
    return { ...inside, directives: inside.directives + (operation.directives?.length ?? 0) + inVariables };
  }

  private selections(set: SelectionSetNode | undefined): Size {
    const total = { ...NONE };
    for (const selection of set?.selections ?? []) {
      const size = this.selection(selection);
      total.depth = Math.max(total.depth, size.depth);
      total.introspectionDepth = Math.max(total.introspectionDepth, size.introspectionDepth);
      total.aliases = Math.min(MANY, total.aliases + size.aliases);
      total.directives = Math.min(MANY, total.directives + size.directives);
      total.rootFields = Math.min(MANY, total.rootFields + size.rootFields);
      total.selections = Math.min(MANY, total.selections + 1 + size.selections);
      total.objects = Math.min(MANY, total.objects + size.objects);
    }
    return total;
  }

  private selection(node: ASTNode): Size {
    if (node.kind === Kind.FIELD) {
      const inside = this.selections(node.selectionSet);
      const introspection = node.name.value === '__schema' || node.name.value === '__type';
      return {
        depth: introspection ? 0 : inside.depth + 1,
        introspectionDepth: introspection ? inside.depth + 1 : inside.introspectionDepth,
        aliases: Math.min(MANY, inside.aliases + (node.alias ? 1 : 0)),
        directives: Math.min(MANY, inside.directives + (node.directives?.length ?? 0)),
        rootFields: 1,
        selections: inside.selections,
        objects: Math.min(MANY, inside.objects + (node.selectionSet ? 1 : 0)),
      };
    }
    if (node.kind === Kind.INLINE_FRAGMENT) {
      const inside = this.selections(node.selectionSet);
      return { ...inside, directives: inside.directives + (node.directives?.length ?? 0) };
    }
    if (node.kind === Kind.FRAGMENT_SPREAD) {
      const inside = this.fragment(node.name.value);
      return { ...inside, directives: inside.directives + (node.directives?.length ?? 0) };
    }
    return NONE;
  }

  private fragment(name: string): Size {
    const known = this.known.get(name);
    if (known) return known;
    this.known.set(name, NONE); // a fragment that uses itself: validation refuses it, here it must only end
    const size = this.selections(this.fragments.get(name)?.selectionSet);
    this.known.set(name, size);
    return size;
  }
}

const exceeded = (what: string, limit: number) =>
  new PlatformError(
    'OPERATION_LIMIT_EXCEEDED',
    `The operation has more than ${limit} ${what}; split it into several.`,
  );
