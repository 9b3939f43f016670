import {
  getNamedType,
  isAbstractType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredArgument,
  isRequiredInputField,
  Kind,
  parse,
  print,
  typeFromAST,
  visit,
  type DirectiveNode,
  type GraphQLArgument,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionNode,
} from 'graphql';
import { randomFrom, type Random } from './random.ts';

export interface MadeUpOperation {
  readonly query: string;
  readonly variables: Record<string, unknown>;
}

const MAX_DEPTH = 6;
/** The approximate number of selections in one operation. */
const MAX_SELECTIONS = 30;

/** A random operation. It is nearly always valid; it is invalid if fields with equal names cannot be merged. */
export function madeUpOperation(schema: GraphQLSchema, seed: string): MadeUpOperation {
  return new Maker(schema, randomFrom(seed)).make();
}

/** Random values for the variables of an operation. */
export function madeUpVariables(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
  seed: string,
): Record<string, unknown> {
  const maker = new Maker(schema, randomFrom(seed));
  return Object.fromEntries(
    variableDefinitions.map(({ variable, type }) => [
      variable.name.value,
      maker.input(typeFromAST(schema, type as never) as GraphQLInputType),
    ]),
  );
}

class Maker {
  private readonly schema: GraphQLSchema;
  private readonly random: Random;
  private readonly variables: Record<string, unknown> = {};
  private readonly definitions: string[] = [];
  private readonly fragments: string[] = [];
  private aliases = 0;
  private count = 0;

  constructor(schema: GraphQLSchema, random: Random) {
    this.schema = schema;
    this.random = random;
  }

  make(): MadeUpOperation {
    const mutation = this.schema.getMutationType();
    const isMutation = mutation && this.random.chance(0.12);
    const root = isMutation ? mutation : this.schema.getQueryType();
    if (!root) throw new Error('a schema without queries');
    const selections = this.selections(root, isMutation ? 2 : 0);
    const definitions = this.definitions.length ? `(${this.definitions.join(', ')})` : '';
    const name = this.random.chance(0.5) ? ' Made' : '';
    const keyword = isMutation ? 'mutation' : 'query';
    return {
      query: [
        `${keyword}${name || (definitions ? ' Made' : '')}${definitions} ${selections}`,
        ...this.fragments,
      ].join('\n'),
      variables: this.variables,
    };
  }

  private selections(type: GraphQLCompositeType, depth: number): string {
    const parts = Array.from({ length: 1 + this.random.below(this.count > MAX_SELECTIONS ? 1 : 4) }, () =>
      this.selection(type, depth),
    );
    return `{ ${parts.join(' ')} }`;
  }

  private selection(type: GraphQLCompositeType, depth: number): string {
    const fields = isAbstractType(type) && !('getFields' in type) ? [] : Object.values(type.getFields());
    this.count += 1;
    const deep = depth >= MAX_DEPTH || this.count > MAX_SELECTIONS;
    const within = deep ? fields.filter((field) => !isCompositeType(getNamedType(field.type))) : fields;
    const kind = this.random.below(20);
    if (!within.length && !(isAbstractType(type) && !deep)) return '__typename';
    if (kind === 0) return this.random.chance(0.5) ? '__typename' : `${this.alias()}: __typename`;
    if (isAbstractType(type) ? kind < 12 || !within.length : kind < 4) return this.fragment(type, depth);
    return this.field(this.random.pick(within), depth);
  }

  private fragment(type: GraphQLCompositeType, depth: number): string {
    // An object's selections contain no fragments on its interfaces: inside of such a fragment, @apollo/gateway loses the
    // fields of nested fragments on the object's own type.
    const possible = isAbstractType(type) ? [...this.schema.getPossibleTypes(type), type] : [type];
    const on = this.random.pick(possible);
    const inside = this.selections(on, depth + (isAbstractType(type) ? 0 : 1));
    if (this.random.chance(0.3)) {
      const name = `Part${this.fragments.length}`;
      this.fragments.push(`fragment ${name} on ${on.name} ${inside}`);
      return `...${name}${this.condition()}`;
    }
    const condition = on === type && this.random.chance(0.3) ? '' : ` on ${on.name}`;
    return `...${condition}${this.condition()} ${inside}`;
  }

  private field(field: GraphQLField<unknown, unknown>, depth: number): string {
    const args = field.args.filter((argument) => isRequiredArgument(argument) || this.random.chance(0.3));
    const given = args.map((argument) => `${argument.name}: ${this.argument(argument)}`);
    // Fields with arguments have unique aliases, because fields with equal names and other arguments cannot be merged.
    const alias = field.args.length || this.random.chance(0.15) ? `${this.alias()}: ` : '';
    const type = getNamedType(field.type);
    const inside = isCompositeType(type) ? ` ${this.selections(type, depth + 1)}` : '';
    return `${alias}${field.name}${given.length ? `(${given.join(', ')})` : ''}${this.condition()}${inside}`;
  }

  private alias(): string {
    this.aliases += 1;
    return `own${this.aliases}`;
  }

  private condition(): string {
    if (!this.random.chance(0.12)) return '';
    const name = this.random.pick(['skip', 'include']);
    const value = this.random.chance(0.3)
      ? String(this.random.chance(0.5))
      : this.variable('Boolean!', this.random.chance(0.5), this.random.chance(0.3) ? ' = true' : '');
    return ` @${name}(if: ${value})`;
  }

  private argument({ type }: GraphQLArgument): string {
    const value = this.input(type);
    return this.variable(String(type), value, '');
  }

  private variable(type: string, value: unknown, defaultText: string): string {
    const name = `v${this.definitions.length}`;
    this.definitions.push(`$${name}: ${type}${defaultText}`);
    if (!defaultText || this.random.chance(0.5)) this.variables[name] = value;
    return `$${name}`;
  }

  input(type: GraphQLInputType): unknown {
    return !isNonNullType(type) && this.random.chance(0.1) ? null : this.some(type, 0);
  }

  private some(type: GraphQLInputType, depth: number): unknown {
    if (isNonNullType(type)) return this.some(type.ofType, depth);
    if (isListType(type))
      return Array.from({ length: this.random.below(3) }, () => this.some(type.ofType, depth));
    if (isEnumType(type)) return this.random.pick(type.getValues()).name;
    if (isInputObjectType(type))
      return Object.fromEntries(
        Object.values(type.getFields()).flatMap((field) =>
          isRequiredInputField(field) || (depth < 2 && this.random.chance(0.3))
            ? [[field.name, this.some(field.type, depth + 1)]]
            : [],
        ),
      );
    return this.scalar(type.name);
  }

  private scalar(name: string): unknown {
    switch (name) {
      case 'Int':
        return this.random.below(50) + 1;
      case 'Float':
        return this.random.below(500) / 4;
      case 'Boolean':
        return this.random.chance(0.5);
      case 'JSON':
        return { any: ['"thing"', this.random.below(9)] };
      case 'Date':
        return `2026-02-0${this.random.below(9) + 1}`;
      case 'DateTime':
        return `2026-02-03T04:05:0${this.random.below(10)}Z`;
      default:
        return this.random.pick(['a', 'b "quoted"', `id-${this.random.below(5)}`]);
    }
  }
}

/** Fields with `@requires` of the hard graph. */
const REQUIRING = /\b(shipping|volume|adult|trust|headline)\b/;

/** The operation with `@defer` at some of its fragments, and at some new ones around selections. */
export function deferring({ query, variables }: MadeUpOperation, seed: string): MadeUpOperation {
  const random = randomFrom(`${seed} deferred`);
  const own: Record<string, unknown> = {};
  const definitions: string[] = [];
  let labels = 0;
  const directive = (): DirectiveNode => {
    labels += 1;
    const label = random.chance(0.5) ? `label: "l${labels}"` : '';
    const condition = random.chance(0.2) ? `if: ${random.chance(0.5) ? random.chance(0.7) : variable()}` : '';
    const args = [label, condition].filter(Boolean).join(', ');
    const [field] = selectionsIn(`{ ... @defer${args && `(${args})`} { __typename } }`);
    return field?.directives?.[0] as DirectiveNode;
  };
  const variable = (): string => {
    const name = `defer${definitions.length}`;
    definitions.push(`$${name}: Boolean!`);
    own[name] = random.chance(0.7);
    return `$${name}`;
  };
  // If there is a condition around a field with `@requires`, the planner's representations for other fields also need the
  // fields that it requires.
  const hasConditions = !REQUIRING.test(query);
  let isMutationRoot = query.startsWith('mutation');
  const document = visit(parse(query), {
    Directive: () => (hasConditions ? undefined : null),
    SelectionSet(set) {
      if (isMutationRoot) {
        isMutationRoot = false;
        return undefined;
      }
      return { ...set, selections: grouped(set.selections, random, directive) };
    },
  });
  const text = print(document);
  if (definitions.length === 0) return { query: text, variables };
  const withDefinitions = /^\w+ Made\(/.test(text)
    ? text.replace(/^(\w+ Made\()/, `$1${definitions.join(', ')}, `)
    : text.replace(
        /^(query|mutation)?( Made)?/,
        (_, kind = 'query') => `${kind} Made(${definitions.join(', ')})`,
      );
  return { query: withDefinitions, variables: { ...variables, ...own } };
}

function grouped(
  selections: readonly SelectionNode[],
  random: Random,
  directive: () => DirectiveNode,
): SelectionNode[] {
  return selections.flatMap((node): SelectionNode[] => {
    const isNew =
      node.kind === Kind.INLINE_FRAGMENT && node.directives?.some(({ name }) => name.value === 'defer');
    if (isNew || !random.chance(0.15)) return [node];
    if (node.kind !== Kind.FIELD) return [{ ...node, directives: [...(node.directives ?? []), directive()] }];
    const fragment: SelectionNode = {
      kind: Kind.INLINE_FRAGMENT,
      directives: [directive()],
      selectionSet: { kind: Kind.SELECTION_SET, selections: [node] },
    };
    // Sometimes the field is primary, too.
    return random.chance(0.2) ? [fragment, node] : [fragment];
  });
}

function selectionsIn(text: string): readonly SelectionNode[] {
  const [definition] = parse(text, { noLocation: true }).definitions;
  return definition?.kind === Kind.OPERATION_DEFINITION ? definition.selectionSet.selections : [];
}
