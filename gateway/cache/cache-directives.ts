import { getNamedType, isCompositeType, type GraphQLCompositeType, type GraphQLField } from 'graphql';
import type { AppliedDirectives } from '#server/graphql/applied-directives.ts';

/**
 * While this gateway is not notified of changes, a field with `@evictedBy` is cached only if its `maxAge` is at most this long.
 * For this time an old value may be read after a write that does not pass through a gateway.
 */
export const MAX_SECONDS_WITHOUT_NOTICES = 5;

/** How one field may be cached, as the directives at the field and at its type say. */
export interface CacheRule {
  /** In seconds. A leaf without a rule has the value of its parent. */
  readonly maxAge: number;
  readonly isPrivate: boolean;
  /** The kinds of changes that make the value old; empty if no `@evictedBy` applies. */
  readonly kinds: readonly string[];
  readonly delayed: readonly string[];
  /** The fields of the representation that decide the value; undefined: all. */
  readonly by: readonly string[] | undefined;
}

export const NO_CACHING: CacheRule = {
  maxAge: 0,
  isPrivate: false,
  kinds: [],
  delayed: [],
  by: undefined,
};

/** Reads `@cacheControl` and `@evictedBy`. */
export class CacheDirectives {
  private readonly directives: AppliedDirectives;

  constructor(directives: AppliedDirectives) {
    this.directives = directives;
  }

  /** The services whose changes some value depends on. */
  get services(): ReadonlySet<string> {
    const services = new Set<string>();
    for (const coordinate of this.directives.coordinatesOf(new Set(['evictedBy'])))
      for (const { kinds, delayed } of [this.evictionAt(coordinate) ?? NO_CACHING])
        for (const kind of [...kinds, ...delayed]) services.add(serviceOf(kind));
    return services;
  }

  /** The rule of a type, for the leaves that are selected directly in an entity of this type. */
  ofType(name: string): CacheRule {
    return this.ruleOf([name], NO_CACHING, NO_CACHING.maxAge);
  }

  /** @param inherited the rule of the field whose selection contains this one */
  ofField(
    parent: GraphQLCompositeType,
    field: GraphQLField<unknown, unknown>,
    inherited: CacheRule,
    isRoot: boolean,
  ): CacheRule {
    const type = getNamedType(field.type);
    const fallback = isRoot || isCompositeType(type) ? 0 : inherited.maxAge;
    return this.ruleOf([`${parent.name}.${field.name}`, type.name], inherited, fallback);
  }

  private ruleOf(coordinates: readonly string[], inherited: CacheRule, fallback: number): CacheRule {
    const maxAge = firstOf(coordinates, (at) => this.maxAgeAt(at, inherited.maxAge));
    // A value with a lifetime of its own does not depend on the changes of its parent.
    const inheritsKinds = !coordinates.some((at) => this.hasOwnMaxAge(at));
    const eviction =
      firstOf(coordinates, (at) => this.evictionAt(at)) ?? (inheritsKinds ? inherited : NO_CACHING);
    return {
      maxAge: maxAge ?? fallback,
      isPrivate: inherited.isPrivate || coordinates.some((at) => this.isPrivate(at)),
      kinds: eviction.kinds,
      delayed: eviction.delayed,
      by: eviction === inherited ? undefined : eviction.by,
    };
  }

  private hasOwnMaxAge(coordinate: string): boolean {
    return this.directives
      .at(coordinate, 'cacheControl')
      .some(({ args }) => typeof args['maxAge'] === 'number');
  }

  private maxAgeAt(coordinate: string, inherited: number): number | undefined {
    const [directive] = this.directives.at(coordinate, 'cacheControl');
    if (!directive) return undefined;
    const { maxAge, inheritMaxAge } = directive.args;
    if (typeof maxAge === 'number') return maxAge;
    return inheritMaxAge === true ? inherited : undefined;
  }

  private isPrivate(coordinate: string): boolean {
    return this.directives.at(coordinate, 'cacheControl').some(({ args }) => args['scope'] === 'PRIVATE');
  }

  private evictionAt(coordinate: string): Pick<CacheRule, 'kinds' | 'delayed' | 'by'> | undefined {
    const [directive] = this.directives.at(coordinate, 'evictedBy');
    if (!directive) return undefined;
    const { kinds, delayed, by } = directive.args;
    return {
      kinds: namesIn(kinds),
      delayed: namesIn(delayed),
      by: by === undefined ? undefined : namesIn(by),
    };
  }
}

/** `gym` of `gym:Location`. */
export const serviceOf = (kind: string): string => kind.slice(0, kind.indexOf(':'));

const namesIn = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? value : [value]).filter((name) => typeof name === 'string');

function firstOf<Value>(
  coordinates: readonly string[],
  valueAt: (coordinate: string) => Value | undefined,
): Value | undefined {
  for (const coordinate of coordinates) {
    const value = valueAt(coordinate);
    if (value !== undefined) return value;
  }
  return undefined;
}
