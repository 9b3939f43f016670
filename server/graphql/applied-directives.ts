import {
  Kind,
  parse,
  valueFromASTUntyped,
  type ConstDirectiveNode,
  type DefinitionNode,
  type DirectiveNode,
} from 'graphql';

/** One use of a directive in the supergraph. */
export interface AppliedDirective {
  /** The name in the directive's specification, e.g. `requiresScopes`, even if `@link` renames it in this document. */
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/**
 * The uses of directives in a supergraph, most of which its API schema omits, by coordinate: `Type`, `Type.field`,
 * `Type.field(argument:)`.
 */
export class AppliedDirectives {
  private readonly byCoordinate = new Map<string, AppliedDirective[]>();

  constructor(supergraphSdl: string) {
    const { definitions } = parse(supergraphSdl, { noLocation: true });
    const names = namesInSpecifications(definitions);
    const put = (coordinate: string, directives: readonly DirectiveNode[] | undefined): void => {
      const applied = (directives ?? []).map((directive) => ({
        name: names.get(directive.name.value) ?? directive.name.value,
        args: argumentsOf(directive),
      }));
      if (applied.length > 0)
        this.byCoordinate.set(coordinate, [...(this.byCoordinate.get(coordinate) ?? []), ...applied]);
    };
    for (const definition of definitions) {
      if (definition.kind === Kind.DIRECTIVE_DEFINITION || !('name' in definition) || !definition.name)
        continue;
      const type = definition.name.value;
      if ('directives' in definition) put(type, definition.directives);
      if (!('fields' in definition)) continue;
      for (const field of definition.fields ?? []) {
        put(`${type}.${field.name.value}`, field.directives);
        if ('arguments' in field)
          for (const argument of field.arguments ?? [])
            put(`${type}.${field.name.value}(${argument.name.value}:)`, argument.directives);
      }
    }
  }

  /** The uses of the directive `name` at this coordinate. */
  at(coordinate: string, name: string): readonly AppliedDirective[] {
    return (this.byCoordinate.get(coordinate) ?? []).filter((directive) => directive.name === name);
  }

  /** Every coordinate at which one of the directives `names` is used. */
  coordinatesOf(names: ReadonlySet<string>): string[] {
    return [...this.byCoordinate].flatMap(([coordinate, directives]) =>
      directives.some(({ name }) => names.has(name)) ? [coordinate] : [],
    );
  }
}

const argumentsOf = (directive: ConstDirectiveNode | DirectiveNode): Record<string, unknown> =>
  Object.fromEntries(
    (directive.arguments ?? []).map((argument) => [argument.name.value, valueFromASTUntyped(argument.value)]),
  );

/** Maps each directive's name in this document to its name in its specification, by `@link(url:, as:, import:)` (link specification, v1.0). */
function namesInSpecifications(definitions: readonly DefinitionNode[]): Map<string, string> {
  const names = new Map<string, string>();
  for (const definition of definitions) {
    if (definition.kind !== Kind.SCHEMA_DEFINITION && definition.kind !== Kind.SCHEMA_EXTENSION) continue;
    for (const link of definition.directives ?? []) {
      if (link.name.value !== 'link') continue;
      const { url, as, import: imports } = argumentsOf(link);
      const specification = /\/([^/]+)\/v\d+\.\d+$/.exec(String(url))?.[1];
      if (specification && typeof as === 'string') names.set(as, specification);
      for (const one of Array.isArray(imports) ? imports : [])
        if (typeof one === 'object' && one !== null && 'name' in one && 'as' in one)
          names.set(withoutAt(one.as), withoutAt(one.name));
    }
  }
  return names;
}

const withoutAt = (name: unknown): string => String(name).replace(/^@/, '');
