import type { AppliedDirective, AppliedDirectives } from '#server/graphql/applied-directives.ts';
import type { Grants } from './grants.ts';

/** A condition of a directive. Equal conditions have equal keys. */
export interface Requirement {
  readonly key: string;
  isMet(grants: Grants): boolean;
}

const NAMES = ['authenticated', 'requiresScopes', 'policy'] as const;

/** The requirements of a supergraph's fields and types by `@authenticated`, `@requiresScopes` and `@policy`. */
export class Requirements {
  private readonly byCoordinate: ReadonlyMap<string, readonly Requirement[]>;

  constructor(directives: AppliedDirectives) {
    this.byCoordinate = new Map(
      directives
        .coordinatesOf(new Set(NAMES))
        .map((coordinate) => [
          coordinate,
          NAMES.flatMap((name) => directives.at(coordinate, name)).map(requirementOf),
        ]),
    );
  }

  get isEmpty(): boolean {
    return this.byCoordinate.size === 0;
  }

  ofType(type: string): readonly Requirement[] {
    return this.byCoordinate.get(type) ?? [];
  }

  ofField(type: string, field: string): readonly Requirement[] {
    return this.byCoordinate.get(`${type}.${field}`) ?? [];
  }
}

function requirementOf({ name, args }: AppliedDirective): Requirement {
  if (name === 'requiresScopes') return anyOfAll(name, 'scopes', args.scopes);
  if (name === 'policy') return anyOfAll(name, 'policies', args.policies);
  return { key: name, isMet: (grants) => grants.authenticated };
}

/**
 * `[["a", "b"], ["c"]]`: a and b, or c. An alternative that is not a list is ignored; if no alternative is a list, no caller
 * meets the requirement.
 */
function anyOfAll(name: string, kind: 'scopes' | 'policies', given: unknown): Requirement {
  const alternatives = Array.isArray(given) ? given.filter((all) => Array.isArray(all)) : [];
  return {
    key: `${name} ${JSON.stringify(given)}`,
    isMet: (grants) =>
      alternatives.some((all: unknown[]) => all.every((one) => grants[kind].has(String(one)))),
  };
}
