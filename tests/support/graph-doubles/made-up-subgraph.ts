import { buildSubgraphSchema } from '@apollo/subgraph';
import {
  execute,
  getNamedType,
  getNullableType,
  GraphQLError,
  isAbstractType,
  isEnumType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  parse,
  type DirectiveNode,
  type DocumentNode,
  type GraphQLFieldResolver,
  type GraphQLOutputType,
  type GraphQLSchema,
} from 'graphql';
import {
  isEscapeFree,
  type Subgraph,
  type SubgraphAnswer,
  type SubgraphRequest,
} from '../../../gateway/subgraphs/subgraph.ts';
import { distorted } from './distortions.ts';
import { randomFrom, type Random } from './random.ts';

/**
 * The conditions of one execution. A value depends only on the scenario and on its field, not on when or how often it is
 * fetched.
 */
export interface Scenario {
  readonly seed: string;
  /** Probabilities, from 0 to 1, that a nullable field is null and that a field fails. */
  readonly nulls: number;
  readonly failures: number;
  /** Whether subgraphs also return wrong answers, or throw errors instead of answering. */
  readonly distorts: boolean;
  /** Whether no text contains characters that JSON escapes. Default: some texts do. */
  readonly plain?: boolean;
  /**
   * Realistic data for benchmarks: ordinary texts, and the number of elements in every list and of entities of a type.
   * Default: unusual texts, small numbers.
   */
  readonly lifelike?: { readonly elements: number; readonly entities: number };
}

interface Thing {
  readonly __typename: string;
  readonly seed: string;
  /** Identifies an entity: the values of all its keys contain this number. */
  readonly number?: number;
  readonly given?: Readonly<Record<string, unknown>>;
}

/** The number of entities of a type: small, so that one response contains the same entity several times. */
const ENTITIES = 5;

/** A subgraph with made-up data for any schema. It answers a gateway's fetches without HTTP. */
export class MadeUpSubgraph implements Subgraph {
  readonly name: string;
  readonly url: string;
  private readonly schema: GraphQLSchema;
  private readonly keys: ReadonlyMap<string, ReadonlySet<string>>;
  private readonly requiring: ReadonlyMap<string, readonly string[]>;
  private readonly scenarios: ReadonlyMap<string, Scenario>;
  private readonly documents = new Map<string, DocumentNode>();
  /**
   * Answers as JSON, by request body. Both executors send the same requests, and equal requests of a scenario have equal
   * answers.
   */
  private readonly answers = new WeakMap<Scenario, Map<string, Promise<string>>>();

  /** @param scenarios by the `requestId` of a request's context */
  constructor(name: string, sdl: string, scenarios: ReadonlyMap<string, Scenario>) {
    this.name = name;
    this.url = `http://${name}.test/graphql`;
    this.scenarios = scenarios;
    const document = parse(sdl);
    this.schema = buildSubgraphSchema(document);
    this.keys = keysOf(document);
    this.requiring = requiringOf(document);
    const entities = this.schema.getQueryType()?.getFields()['_entities'];
    if (entities)
      entities.resolve = (_root, { representations }: { representations: Record<string, unknown>[] }) =>
        representations.map((representation) => this.entityOf(representation));
  }

  async send({ body, context }: SubgraphRequest): Promise<SubgraphAnswer> {
    const { query, variables } = JSON.parse(body) as { query: string; variables: Record<string, unknown> };
    const scenario = this.scenarios.get(context.requestId);
    if (!scenario) throw new Error(`no scenario "${context.requestId}"`);
    const answers = this.answers.get(scenario) ?? new Map<string, Promise<string>>();
    this.answers.set(scenario, answers);
    const answering = answers.get(body) ?? this.answerTo(query, variables, scenario);
    if (answers.size < 1_000) answers.set(body, answering); // a benchmark sends many different requests
    const text = await answering;
    const answer = { ...(JSON.parse(text) as SubgraphAnswer), hasNoEscapes: isEscapeFree(text) };
    return scenario.distorts ? distorted(answer, this.name, query, scenario.seed) : answer;
  }

  private async answerTo(
    query: string,
    variableValues: Record<string, unknown>,
    scenario: Scenario,
  ): Promise<string> {
    const document = this.documents.get(query) ?? parse(query);
    this.documents.set(query, document);
    return JSON.stringify(
      await execute({
        schema: this.schema,
        document,
        variableValues,
        contextValue: scenario,
        fieldResolver: this.resolve,
        typeResolver: ({ __typename }: Thing) => __typename,
      }),
    );
  }

  async close(): Promise<void> {
    // There is nothing to close.
  }

  private readonly resolve: GraphQLFieldResolver<Thing | undefined, Scenario> = (
    source,
    args: Record<string, unknown>,
    scenario,
    { fieldName, returnType, parentType },
  ) => {
    const given = source?.given?.[fieldName];
    if (given !== undefined) return given;
    const keys = this.keys.get(source?.__typename ?? '') ?? this.keys.get(parentType.name);
    if (source?.number !== undefined && keys?.has(fieldName)) return keyValue(fieldName, returnType, source);
    // The value of a field with `@requires` also depends on the required fields. The representation may contain more.
    const names = this.requiring.get(`${parentType.name}.${fieldName}`);
    const required = names ? JSON.stringify(names.map((name) => source?.given?.[name])) : '';
    const seed = `${scenario.seed}/${source?.seed ?? ''}/${fieldName}/${JSON.stringify(args)}/${required}`;
    const random = randomFrom(seed);
    if (random.chance(scenario.failures)) throw failure(`${parentType.name}.${fieldName} failed`, random);
    return this.valueOf(returnType, { random, seed, scenario });
  };

  private valueOf(
    type: GraphQLOutputType,
    made: { random: Random; seed: string; scenario: Scenario },
  ): unknown {
    const { random, scenario } = made;
    if (isNonNullType(type)) {
      if (!random.chance(scenario.nulls / 20))
        return this.valueOf(getNullableType(type), { ...made, scenario: { ...scenario, nulls: 0 } });
      return null;
    }
    if (random.chance(scenario.nulls)) return null;
    if (isListType(type))
      return Array.from({ length: scenario.lifelike?.elements ?? random.below(4) }, (_, index) =>
        this.valueOf(type.ofType, { ...made, scenario: this.withNulls(made), seed: `${made.seed}.${index}` }),
      );
    const named = getNamedType(type);
    if (isObjectType(named) || isAbstractType(named)) return this.thing(named.name, made);
    if (isEnumType(named)) return random.pick(named.getValues()).value as unknown;
    return scenario.lifelike && !(named.name in NUMBERS) ? ordinaryText(random) : leaf(named.name, made);
  }

  /** Inside of a non-null list, the elements have the scenario's probability of nulls again. */
  private withNulls({ scenario }: { scenario: Scenario }): Scenario {
    return this.scenarios.get(scenario.seed) ?? scenario;
  }

  private thing(
    typename: string,
    { random, seed, scenario }: { random: Random; seed: string; scenario: Scenario },
  ): Thing {
    const number = random.below(scenario.lifelike?.entities ?? ENTITIES);
    if (this.keys.has(typename)) return this.entity(typename, number);
    const type = this.schema.getType(typename);
    if (!isAbstractType(type)) return { __typename: typename, seed };
    const concrete = random.pick(this.schema.getPossibleTypes(type)).name;
    return this.keys.has(concrete) ? this.entity(concrete, number) : { __typename: concrete, seed };
  }

  /** An entity of an interface with a key always has the same object type, which its number decides. */
  private entity(typename: string, number: number, given?: Thing['given']): Thing {
    const type = this.schema.getType(typename);
    const possible = isInterfaceType(type) ? this.schema.getPossibleTypes(type).map(({ name }) => name) : [];
    const concrete = possible.length ? possible.toSorted()[number % possible.length] : undefined;
    return {
      __typename: concrete ?? typename,
      seed: `${this.family(typename)}:${number}`,
      number,
      ...(given && { given }),
    };
  }

  /**
   * The interface with a key that the type implements, or the type itself: an entity has the same values, whether it is
   * fetched as its interface or as its object type.
   */
  private family(typename: string): string {
    const type = this.schema.getType(typename);
    const keyed = isObjectType(type)
      ? type.getInterfaces().find(({ name }) => this.keys.has(name))
      : undefined;
    return keyed?.name ?? typename;
  }

  private entityOf({ __typename, ...fields }: Record<string, unknown>): Thing {
    const keys = this.keys.get(String(__typename)) ?? new Set();
    const number = Object.entries(fields).find(([name]) => keys.has(name))?.[1];
    const given = Object.fromEntries(Object.entries(fields).filter(([name]) => !keys.has(name)));
    const found = numberIn(number);
    return this.entity(String(__typename), found, Object.keys(given).length ? given : undefined);
  }
}

/** The value of a key field contains the entity's number, whatever the field's type. */
function keyValue(field: string, type: GraphQLOutputType, source: Thing): unknown {
  const named = getNamedType(type);
  if (isObjectType(named))
    return { ...source, __typename: named.name, given: { id: `${field}-${source.number}` } };
  return named.name === 'Int' ? source.number : `${field}-${source.number}`;
}

function numberIn(key: unknown): number {
  const text = typeof key === 'object' && key !== null ? JSON.stringify(key) : String(key);
  return Number(/(\d+)\D*$/.exec(text)?.[1] ?? 0);
}

const NUMBERS = { Int: true, Float: true, Boolean: true };

const WORDS = [
  'squat',
  'bench press',
  '2026-03-01T18:00:00.000Z',
  'A quiet evening at the gym',
  'red',
  'Oatmeal with berries',
];

const ordinaryText = (random: Random): string => `${random.pick(WORDS)} ${random.below(1_000)}`;

function leaf(
  type: string,
  { random, scenario: { plain } }: { random: Random; scenario: Scenario },
): unknown {
  switch (type) {
    case 'Int':
      return random.below(1_000) - 500;
    case 'Float':
      return random.below(1_000) / 8;
    case 'Boolean':
      return random.chance(0.5);
    case 'JSON':
      return random.pick([{ a: [1, null, 'x'], b: { c: true } }, [1, 2], 'text', 7, false]);
    default:
      return random.pick([
        'plain',
        'ünïcödé 🏋',
        '',
        '\u2028',
        `n${random.below(99)}`,
        ...(plain ? [] : ['with "quotes" and \\', 'line\nbreak']),
      ]);
  }
}

function failure(message: string, random: Random): Error {
  const extensions = random.pick([undefined, { code: 'NOT_FOUND' }, { code: 'FORBIDDEN', more: [1] }, {}]);
  return new GraphQLError(message, extensions ? { extensions } : {});
}

/** The names of the top-level key fields, by type. */
function keysOf(document: DocumentNode): ReadonlyMap<string, ReadonlySet<string>> {
  const keys = new Map<string, Set<string>>();
  for (const definition of document.definitions) {
    if (!('directives' in definition) || !('name' in definition) || !definition.name) continue;
    for (const directive of definition.directives ?? [])
      for (const field of keyFields(directive)) {
        const known = keys.get(definition.name.value) ?? new Set();
        keys.set(definition.name.value, known.add(field));
      }
  }
  return keys;
}

/** The names of the required fields, for each field with `@requires`, by `Type.field`. */
function requiringOf({ definitions }: DocumentNode): ReadonlyMap<string, readonly string[]> {
  const requiring = new Map<string, readonly string[]>();
  for (const definition of definitions)
    if (definition.kind === Kind.OBJECT_TYPE_DEFINITION)
      for (const { name, directives = [] } of definition.fields ?? [])
        for (const directive of directives)
          if (directive.name.value === 'requires')
            requiring.set(`${definition.name.value}.${name.value}`, namesIn(directive));
  return requiring;
}

const keyFields = (directive: DirectiveNode): string[] =>
  directive.name.value === 'key' ? namesIn(directive) : [];

/** The top-level names in the argument `fields`. */
function namesIn({ arguments: given = [] }: DirectiveNode): string[] {
  const fields = given.find((argument) => argument.name.value === 'fields')?.value;
  if (fields?.kind !== Kind.STRING) return [];
  return fields.value
    .replaceAll(/\{[^}]*\}/g, '')
    .trim()
    .split(/\s+/);
}
