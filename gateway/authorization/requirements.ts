import { Kind, parse, type ConstDirectiveNode, type ConstValueNode, type DefinitionNode } from 'graphql';
import type { Grants } from './grants.ts';

/** One condition of a directive; equal ones have equal keys. */
export interface Requirement {
  readonly key: string;
  isMet(grants: Grants): boolean;
}

const KINDS = {
  authenticated: (): Requirement => ({
    key: '@authenticated',
    isMet: (grants) => grants.authenticated,
  }),
  requiresScopes: (directive: ConstDirectiveNode) => anyOfAll('@requiresScopes', directive, 'scopes'),
  policy: (directive: ConstDirectiveNode) => anyOfAll('@policy', directive, 'policies'),
};

/** What the fields and types of a supergraph require by `@authenticated`, `@requiresScopes` and `@policy`. */
export class Requirements {
  private readonly ofTypes = new Map<string, Requirement[]>();
  private readonly ofFields = new Map<string, Requirement[]>();

  constructor(supergraphSdl: string) {
    const { definitions } = parse(supergraphSdl, { noLocation: true });
    const names = directiveNames(definitions);
    const read = (directives: readonly ConstDirectiveNode[] | undefined): Requirement[] =>
      (directives ?? []).flatMap((directive) => names.get(directive.name.value)?.(directive) ?? []);
    for (const definition of definitions) {
      if (!('directives' in definition) || !('name' in definition) || !definition.name) continue;
      const type = definition.name.value;
      add(this.ofTypes, type, read(definition.directives as readonly ConstDirectiveNode[]));
      if (
        definition.kind === Kind.OBJECT_TYPE_DEFINITION ||
        definition.kind === Kind.INTERFACE_TYPE_DEFINITION
      )
        for (const field of definition.fields ?? [])
          add(this.ofFields, `${type}.${field.name.value}`, read(field.directives));
    }
  }

  get isEmpty(): boolean {
    return this.ofTypes.size === 0 && this.ofFields.size === 0;
  }

  ofType(type: string): readonly Requirement[] {
    return this.ofTypes.get(type) ?? [];
  }

  ofField(type: string, field: string): readonly Requirement[] {
    return this.ofFields.get(`${type}.${field}`) ?? [];
  }
}

/** Directive names of this document; a `@link` may import them under other ones (`as`, `import: [{name, as}]`). */
function directiveNames(
  definitions: readonly DefinitionNode[],
): Map<string, (directive: ConstDirectiveNode) => Requirement> {
  const names = new Map<string, (directive: ConstDirectiveNode) => Requirement>(Object.entries(KINDS));
  for (const definition of definitions) {
    if (definition.kind !== Kind.SCHEMA_DEFINITION && definition.kind !== Kind.SCHEMA_EXTENSION) continue;
    for (const link of definition.directives ?? []) {
      if (link.name.value !== 'link') continue;
      const spec = /specs\.apollo\.dev\/(authenticated|requiresScopes|policy)\//.exec(
        stringArgument(link, 'url') ?? '',
      )?.[1] as keyof typeof KINDS | undefined;
      const alias = stringArgument(link, 'as');
      if (spec && alias) names.set(alias, KINDS[spec]);
    }
  }
  return names;
}

function stringArgument(directive: ConstDirectiveNode, name: string): string | undefined {
  const value = directive.arguments?.find((argument) => argument.name.value === name)?.value;
  return value?.kind === Kind.STRING ? value.value : undefined;
}

/** `[["a", "b"], ["c"]]`: a and b, or c. */
function anyOfAll(name: string, directive: ConstDirectiveNode, argument: 'scopes' | 'policies'): Requirement {
  const value = directive.arguments?.find((given) => given.name.value === argument)?.value;
  const alternatives = listsOf(value);
  return {
    key: `${name} ${JSON.stringify(alternatives)}`,
    isMet: (grants) => alternatives.some((all) => all.every((one) => grants[argument].has(one))),
  };
}

const listsOf = (value: ConstValueNode | undefined): string[][] =>
  value?.kind === Kind.LIST
    ? value.values.map((inner) =>
        inner.kind === Kind.LIST
          ? inner.values.flatMap((one) => (one.kind === Kind.STRING ? [one.value] : []))
          : inner.kind === Kind.STRING
            ? [inner.value]
            : [],
      )
    : [];

function add(map: Map<string, Requirement[]>, key: string, requirements: readonly Requirement[]): void {
  if (requirements.length > 0) map.set(key, [...(map.get(key) ?? []), ...requirements]);
}
