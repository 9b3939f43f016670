import {
  Kind,
  parse,
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import type { Viewer } from '../auth/viewer.ts';
import { PlatformError } from '../errors.ts';
import { boundedCache, bytesOfText } from '../observability/bounded-cache.ts';
import { fragmentsOf, type Fragments } from './fragments.ts';

/** How large a GraphQL operation may be. */
export interface OperationLimits {
  /** The length of the whole text, comments included. Long values belong in variables. */
  characters: number;
  depth: number;
  /** The depth of `__schema` and `__type`, which the queries of common tools need. */
  introspectionDepth: number;
  aliases: number;
  rootFields: number;
  tokens: number;
  directives: number;
  /** Fields and fragments after expanding all spreads: validation, planning and execution see the expanded operation. */
  selections: number;
  /**
   * The fields with a selection set, each counted once more for every `@include` and `@skip` around it. Planning time
   * grows with this number: each such field may need a separate request, which repeats the conditions. Introspection is
   * not planned, so its objects do not count.
   */
  objects: number;
}

/** The limits of authenticated callers at the gateway. */
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
 * The limits of callers without a token at the gateway. They cannot be identified, so their operations may take only a
 * fraction of the processor time. `npm run bench:worst` measures this time; the aim is 50 ms.
 */
export const ANONYMOUS_LIMITS: OperationLimits = {
  ...OPERATION_LIMITS,
  tokens: 1_000,
  selections: 400,
  objects: 40,
};

/**
 * The limits of a subgraph are higher, because the operations that the gateway plans are larger than the client's: they
 * have the same depth below `_entities`, expanded fragments, and the keys and `__typename` of entities. If two types at the
 * same place have fields of the same name that return different types, the gateway also gives one of them an alias.
 */
export const SUBGRAPH_LIMITS: OperationLimits = {
  ...OPERATION_LIMITS,
  characters: 4 * OPERATION_LIMITS.characters,
  depth: OPERATION_LIMITS.depth + 2,
  aliases: 200,
  rootFields: 60,
  tokens: 8_000,
  // A client's `@include` or `@skip` is repeated in every request for fields below it, once for each type of entity.
  directives: 400,
  selections: 2 * OPERATION_LIMITS.selections,
  objects: 2 * OPERATION_LIMITS.selections, // every selection may have a selection set
};

/**
 * The limits of callers without a token at a subgraph. They must be wide enough for the gateway, because a service cannot
 * distinguish a request that the gateway sends for an anonymous caller from one that the caller sends directly.
 */
export const ANONYMOUS_SUBGRAPH_LIMITS: OperationLimits = {
  ...SUBGRAPH_LIMITS,
  tokens: 3 * ANONYMOUS_LIMITS.tokens,
  selections: 2 * ANONYMOUS_LIMITS.selections,
  objects: 2 * ANONYMOUS_LIMITS.selections,
};

/**
 * How much one operation may cost at a service at most: twice the gateway's default. A request of the gateway is only a part
 * of a client's operation, but adds the keys of entities.
 */
export const SUBGRAPH_COST_LIMIT = 10_000;

/**
 * Checks operations before validation and execution, whose time grows faster than the document: validation compares
 * overlapping fields pair by pair. The sizes of accepted documents are cached, and compared with the limits of each caller.
 */
export function operationLimiter(limits: OperationLimits, anonymousLimits = limits) {
  const knownSizes = boundedCache<string, OperationSize>({
    name: 'operations_within_limits',
    maxEntries: 1_000,
    maxBytes: 4 * 1024 * 1024, // 4 MiB
    bytesOf: (_size, query) => bytesOfText(query) + BYTES_PER_SIZE,
  });
  return {
    /** @throws OPERATION_LIMIT_EXCEEDED. A text that does not parse is accepted, because the server reports its syntax error. */
    check(query: string, viewer?: Viewer): void {
      const isAnonymous = viewer?.kind === 'anonymous' && anonymousLimits !== limits;
      const allowed = isAnonymous ? anonymousLimits : limits;
      if (query.length > allowed.characters) throw exceeded('characters', allowed.characters, isAnonymous);
      const known = knownSizes.get(query);
      const size = known ?? sizeOfText(query, allowed.tokens, isAnonymous);
      if (!size) return;
      const excess = exceededLimit(size, allowed);
      if (excess) throw exceeded(LIMITED[excess], allowed[excess], isAnonymous);
      if (!known) knownSizes.set(query, size);
    },
  };
}

/** The memory of one cached size, measured on the heap. */
const BYTES_PER_SIZE = 150;

function sizeOfText(query: string, maxTokens: number, isAnonymous: boolean): OperationSize | undefined {
  try {
    return sizeOf(parse(query, { noLocation: true, maxTokens }));
  } catch (error) {
    // The message of graphql-js has a spelling mistake, which a later version may correct: "more that".
    if (error instanceof Error && /more tha[nt] \d+ tokens/.test(error.message))
      throw exceeded('tokens', maxTokens, isAnonymous);
    return undefined;
  }
}

/** The size of an operation, by limit. The length of the text is checked before. */
type OperationSize = Readonly<Omit<OperationLimits, 'characters'>>;

/** For each limit, the largest value of any operation in the document. */
export function sizeOf(document: DocumentNode): OperationSize {
  const size = { ...NONE, tokens: document.tokenCount ?? 0 };
  const sizes = new OperationSizes(fragmentsOf(document));
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    const one = sizes.of(definition);
    for (const name of LIMIT_NAMES) size[name] = Math.max(size[name], one[name]);
  }
  return size;
}

/** The first limit that the size exceeds; undefined if it exceeds none. */
export const exceededLimit = (
  size: OperationSize,
  limits: OperationLimits,
): keyof OperationSize | undefined => LIMIT_NAMES.find((name) => size[name] > limits[name]);

/** What each limit applies to, as the message of a refusal calls it. */
const LIMITED: Readonly<Record<keyof OperationSize, string>> = {
  tokens: 'tokens',
  selections: 'selections with its fragments expanded',
  objects: 'objects with its fragments expanded, each counted once more for every condition around it',
  depth: 'levels of depth',
  introspectionDepth: 'levels of introspection',
  aliases: 'aliases',
  rootFields: 'root fields',
  directives: 'directives',
};
const LIMIT_NAMES = Object.keys(LIMITED) as (keyof OperationSize)[];

interface Size {
  depth: number;
  introspectionDepth: number;
  aliases: number;
  directives: number;
  rootFields: number;
  selections: number;
  /** The fields with a selection set, each counted once more for every condition around it. */
  objects: number;
  /** The fields with a selection set, each counted once. */
  plainObjects: number;
  tokens: number;
}

const NONE: Size = {
  depth: 0,
  introspectionDepth: 0,
  aliases: 0,
  directives: 0,
  rootFields: 0,
  selections: 0,
  objects: 0,
  plainObjects: 0,
  tokens: 0,
};
/** The largest sum, because fragments that spread fragments can make sums grow exponentially. */
const MANY = 1e9;

/**
 * Computes the sizes of operations. It visits each fragment once, so a document of n nodes takes n steps, however often its
 * fragments are spread.
 */
class OperationSizes {
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
      total.plainObjects = Math.min(MANY, total.plainObjects + size.plainObjects);
    }
    return total;
  }

  private selection(node: SelectionNode): Size {
    if (node.kind === Kind.FIELD) return withDirectives(this.field(node), node.directives);
    if (node.kind === Kind.INLINE_FRAGMENT)
      return withDirectives(this.selections(node.selectionSet), node.directives);
    return withDirectives(this.fragment(node.name.value), node.directives);
  }

  private field(node: FieldNode): Size {
    const inside = this.selections(node.selectionSet);
    const introspection = node.name.value === '__schema' || node.name.value === '__type';
    const own = node.selectionSet ? 1 : 0;
    return {
      depth: introspection ? 0 : inside.depth + 1,
      introspectionDepth: introspection ? inside.depth + 1 : inside.introspectionDepth,
      aliases: Math.min(MANY, inside.aliases + (node.alias ? 1 : 0)),
      directives: inside.directives,
      rootFields: 1,
      selections: inside.selections,
      objects: introspection ? 0 : Math.min(MANY, inside.objects + own),
      plainObjects: introspection ? 0 : Math.min(MANY, inside.plainObjects + own),
      tokens: 0,
    };
  }

  private fragment(name: string): Size {
    const known = this.known.get(name);
    if (known) return known;
    this.known.set(name, NONE); // ends the recursion of a fragment that spreads itself, which validation refuses
    const size = this.selections(this.fragments.get(name)?.selectionSet);
    this.known.set(name, size);
    return size;
  }
}

function withDirectives(size: Size, directives: readonly DirectiveNode[] = []): Size {
  if (directives.length === 0) return size;
  const conditions = directives.filter(({ name }) => name.value === 'include' || name.value === 'skip');
  return {
    ...size,
    directives: Math.min(MANY, size.directives + directives.length),
    objects: Math.min(MANY, size.objects + conditions.length * size.plainObjects),
  };
}

const exceeded = (what: string, limit: number, isAnonymous: boolean) =>
  new PlatformError(
    'OPERATION_LIMIT_EXCEEDED',
    `The operation has more than ${limit} ${what}; split it into several${isAnonymous ? ', or log in to send larger ones' : ''}.`,
  );
