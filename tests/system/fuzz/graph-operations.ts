import {
  getNamedType,
  getNullableType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLSchema,
} from 'graphql';
import type { Random } from '../../support/graph-doubles/random.ts';
import { hostileNumber, hostileText, hostileValue } from './hostile-values.ts';

/** An operation with its variables. */
export interface GraphRequest {
  name: string;
  query: string;
  variables: Record<string, unknown>;
}

const MAX_DEPTH = 4;

/** Every field of Query and Mutation. */
export const rootFields = (schema: GraphQLSchema): { kind: 'query' | 'mutation'; name: string }[] =>
  (
    [
      ['query', schema.getQueryType()],
      ['mutation', schema.getMutationType()],
    ] as const
  ).flatMap(([kind, type]) => Object.keys(type?.getFields() ?? {}).map((name) => ({ kind, name })));

/** Makes an operation of one root field with well-formed or partly hostile variables. */
export function graphRequest(
  random: Random,
  schema: GraphQLSchema,
  { kind, name }: { kind: 'query' | 'mutation'; name: string },
  ids: readonly string[],
): GraphRequest {
  const maker = new OperationMaker(random, random.pick([0, 0.05, 0.3]), ids);
  const root = kind === 'query' ? schema.getQueryType() : schema.getMutationType();
  const field = root?.getFields()[name];
  if (!field) throw new Error(`there is no field ${name}`);
  const text = maker.field(field, 0);
  const declared = maker.declarations.length > 0 ? `(${maker.declarations.join(', ')})` : '';
  return { name: `${kind} ${name}`, query: `${kind} ${declared} { ${text} }`, variables: maker.variables };
}

class OperationMaker {
  readonly declarations: string[] = [];
  readonly variables: Record<string, unknown> = {};
  private readonly random: Random;
  /** The probability that a value is hostile. */
  private readonly hostility: number;
  private readonly ids: readonly string[];

  constructor(random: Random, hostility: number, ids: readonly string[]) {
    this.random = random;
    this.hostility = hostility;
    this.ids = ids;
  }

  field(field: GraphQLField<unknown, unknown>, depth: number): string {
    const args = field.args.flatMap((argument) => {
      if (!isNonNullType(argument.type) && this.random.chance(0.4)) return [];
      const literal = this.literal(argument.type);
      if (literal !== undefined) return [`${argument.name}: ${literal}`];
      const variable = `v${this.declarations.length}`;
      this.declarations.push(`$${variable}: ${String(argument.type)}`);
      this.variables[variable] = this.value(argument.type, 0);
      return [`${argument.name}: $${variable}`];
    });
    const type = getNamedType(field.type);
    const selection = isObjectType(type)
      ? ` ${this.selection(type, depth + 1)}`
      : isCompositeType(type)
        ? ' { __typename }'
        : '';
    return `${field.name}${args.length > 0 ? `(${args.join(', ')})` : ''}${selection}`;
  }

  /** Sometimes returns a literal for a scalar, which the validation of the document checks; otherwise undefined. */
  private literal(type: GraphQLInputType): string | undefined {
    const nullable = getNullableType(type);
    if (!isScalarType(nullable) || this.random.chance(0.7)) return undefined;
    const value = this.scalar(String(nullable));
    return typeof value === 'object' ? undefined : JSON.stringify(value);
  }

  private selection(type: GraphQLObjectType, depth: number): string {
    const fields = Object.values(type.getFields()).filter(({ type: fieldType }) => {
      const isLeaf = !isCompositeType(getNamedType(fieldType));
      return isLeaf ? this.random.chance(0.5) : depth < MAX_DEPTH && this.random.chance(0.15);
    });
    return `{ __typename ${fields.map((field) => this.field(field, depth)).join(' ')} }`;
  }

  private value(type: GraphQLInputType, depth: number): unknown {
    const { random } = this;
    if (random.chance(this.hostility)) return hostileValue(random);
    const nullable = getNullableType(type);
    if (!isNonNullType(type) && random.chance(depth > 0 ? 0.3 : 0.05)) return null;
    if (isListType(nullable))
      return Array.from({ length: random.below(3) }, () => this.value(nullable.ofType, depth + 1));
    if (isEnumType(nullable)) return random.pick(nullable.getValues()).name;
    if (isInputObjectType(nullable))
      return Object.fromEntries(
        Object.values(nullable.getFields())
          .filter(({ type: fieldType }) => isNonNullType(fieldType) || random.chance(0.5))
          .map(({ name, type: fieldType }) => [name, this.value(fieldType, depth + 1)]),
      );
    return this.scalar(String(nullable));
  }

  private scalar(name: string): unknown {
    const { random } = this;
    if (name === 'ID') return random.pick(this.ids);
    if (name === 'Int') return random.chance(0.8) ? random.below(50) : hostileNumber(random);
    if (name === 'Float') return random.chance(0.8) ? random.below(500) / 7 : hostileNumber(random);
    if (name === 'Boolean') return random.chance(0.5);
    if (name === 'Date') return random.chance(0.8) ? `2026-0${1 + random.below(9)}-15` : hostileText(random);
    if (name === 'DateTime')
      return random.chance(0.8) ? `2026-0${1 + random.below(9)}-15T10:00:00Z` : hostileText(random);
    if (name === 'JSON') return random.chance(0.5) ? {} : hostileValue(random);
    return random.chance(0.7) ? `fuzz ${random.below(1_000_000)}` : hostileText(random);
  }
}
