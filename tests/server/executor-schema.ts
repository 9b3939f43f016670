import { buildSubgraphSchema } from '@apollo/subgraph';
import type DataLoader from 'dataloader';
import { GraphQLError, GraphQLScalarType, parse, type GraphQLSchema } from 'graphql';

const TYPES = parse(`
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key"])
  scalar JSON
  scalar Odd
  enum Level { LOW HIGH }
  input Inner { title: String = "inner default" n: Int }
  input Change { id: ID! title: String level: Level = LOW inner: Inner tags: [String!] when: JSON }
  interface Animal { name: String! }
  type Dog implements Animal { name: String! barks: Boolean }
  type Cat implements Animal { name: String! lives: Int }
  union Pet = Dog | Cat
  type Checked { id: ID! }
  type CheckedLater { id: ID! }
  union AnyChecked = Checked | CheckedLater
  type Item @key(fields: "id") {
    id: ID! title: String need: String! slow: String level: Level nested: Item list: [Item!] loaded: String
    promise: String method(n: Int = 2): String getter: String thrower: String json: JSON
    failsNow: String! failsLater: String! refusedLater: String
  }
  type Query {
    item(id: ID = "d"): Item items: [Item] strict: [Item!]! change(input: Change): String first(n: Int = 3, s: String): String
    pets: [Pet] animal: Animal badPet: Pet throwsText: String undef: String need: String! big: Int numbers: [Int] asyncPets: [Pet]
    brokenList: [String!] notIterable: [Int] asyncIterable: [Int] grid: [[Int!]]
    odd: [Odd] checked: [Checked] checkedLater: [CheckedLater] anyChecked: [AnyChecked]
  }
  type Mutation { a(n: Int): String! b(n: Int): String c(n: Int! = 1): String }
`);

class Row {
  readonly id: string;
  readonly title: string;
  readonly need = 'n';
  readonly level = 'HIGH';
  readonly promise = Promise.resolve('kept');
  readonly json = { __proto__: null, deep: [1, { x: null }], text: '"' };

  constructor(id: string) {
    this.id = id;
    this.title = `t${id}`;
  }

  get getter(): string {
    return 'from a getter';
  }

  get thrower(): string {
    throw new Error('the getter failed');
  }

  method({ n }: { n: number }): string {
    return `${this.id} ${n}`;
  }
}

const later = async <Value>(make: () => Value): Promise<Value> => {
  await new Promise((resolve) => setImmediate(resolve));
  return make();
};
const fail = (message: string, extensions?: Record<string, unknown>): never => {
  throw new GraphQLError(message, extensions ? { extensions } : {});
};

export interface Context {
  readonly seen: string[];
  readonly loader: DataLoader<string, string>;
}

const isChecked = ({ type }: { type?: string }) => type === 'Checked';

const RESOLVERS = {
  Odd: new GraphQLScalarType({
    name: 'Odd',
    serialize(value) {
      if (value === 'throws') throw new Error('no such odd value');
      return value === 'null' ? null : value === 'undefined' ? undefined : value;
    },
  }),
  Checked: { __isTypeOf: isChecked },
  CheckedLater: { __isTypeOf: (value: { type?: string }) => later(() => !isChecked(value)) },
  Item: {
    __resolveReference: async ({ id }: { id: string }) => {
      if (id.startsWith('slowbad')) return later(() => fail(`no ${id}`, { code: 'X' }));
      if (id.startsWith('bad')) throw new Error(`no ${id}`);
      return id === 'null' ? null : later(() => new Row(id));
    },
    slow: ({ id }: Row) => later(() => id),
    loaded: ({ id }: Row, _args: unknown, { loader }: Context) => loader.load(id),
    failsNow: () => fail('now'),
    failsLater: () => later(() => fail('later')),
    refusedLater: () => later(() => fail('refused')),
    nested: ({ id }: Row) => new Row(`${id}n`),
    list: ({ id }: Row) => [new Row(`${id}1`), later(() => new Row(`${id}2`))],
  },
  Query: {
    odd: () => ['throws', 'null', 'undefined', new Date(0), { toJSON: () => 'as JSON' }, Number.NaN],
    checked: () => [{ id: 1, type: 'Checked' }, { id: 2 }, 'text'],
    checkedLater: () => [{ id: 1, type: 'Checked' }, { id: 2 }],
    anyChecked: () => [{ id: 1, type: 'Checked' }, { id: 2 }],
    item: (_root: unknown, { id }: { id: string }) => new Row(id),
    items: async () => [new Row('1'), null, { id: '3', need: null }],
    strict: async () => [new Row('1'), { id: '2', need: null }, { id: '3', need: null }],
    change: (_root: unknown, { input }: { input: unknown }, { seen }: Context) => {
      seen.push(JSON.stringify(input));
      return JSON.stringify(input);
    },
    first: (_root: unknown, args: unknown) => JSON.stringify(args),
    pets: async () => [
      { __typename: 'Dog', name: 'd', barks: true },
      { __typename: 'Cat', name: 'c', lives: 9 },
    ],
    animal: () => ({ __typename: 'Cat', name: 'c', lives: 9 }),
    badPet: async () => ({ name: 'nobody' }),
    throwsText: () => {
      // oxlint-disable-next-line typescript/only-throw-error -- resolvers can throw anything
      throw 'a text';
    },
    undef: () => undefined,
    need: () => later(() => fail('needed')),
    big: () => 1e12,
    numbers: () => new Set([1, 2.5, 3]),
    asyncPets: async () => [later(() => ({ __typename: 'Dog', name: 'd' }))],
    brokenList: function* broken() {
      yield 'one';
      yield later(() => 'two');
      throw new Error('the list broke off');
    },
    notIterable: () => 7,
    asyncIterable: async function* numbers() {
      yield 1;
    },
    grid: () => [[1, later(() => 2)], null, [later(() => null)], later(() => [3])],
  },
  Mutation: {
    a: async (_root: unknown, { n }: { n?: number }, { seen }: Context) => {
      seen.push('a starts');
      await later(() => undefined);
      seen.push('a ends');
      return n === 1 ? fail('a failed') : 'a';
    },
    b: (_root: unknown, { n }: { n?: number }, { seen }: Context) => {
      seen.push('b');
      return n === 1 ? fail('b failed') : 'b';
    },
    c: async (_root: unknown, _args: unknown, { seen }: Context) => {
      seen.push('c');
      return 'c';
    },
  },
};

/** A schema whose resolvers return values of many kinds, at once and later, and fail in many ways. */
export const schema: GraphQLSchema = buildSubgraphSchema({ typeDefs: TYPES, resolvers: RESOLVERS as never });
