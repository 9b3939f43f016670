import { describe, expect, it } from '@jest/globals';
import { buildSubgraphSchema } from '@apollo/subgraph';
import DataLoader from 'dataloader';
import {
  execute,
  getOperationAST,
  GraphQLError,
  GraphQLScalarType,
  parse,
  validate,
  type GraphQLSchema,
} from 'graphql';
import { compiledQuery } from '../../server/graphql/executor/compiled-query.ts';

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

const later = async <Value>(give: () => Value): Promise<Value> => {
  await new Promise((resolve) => setImmediate(resolve));
  return give();
};
const fail = (message: string, extensions?: Record<string, unknown>): never => {
  throw new GraphQLError(message, extensions ? { extensions } : {});
};

interface Context {
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

const schema: GraphQLSchema = buildSubgraphSchema({ typeDefs: TYPES, resolvers: RESOLVERS as never });

interface Outcome {
  data: string;
  errors: string[];
  seen: string[];
  batches: string[][];
}

async function outcomeOf(
  run: (contextValue: Context) => Promise<{ data: string; errors: readonly GraphQLError[] }>,
): Promise<Outcome> {
  const [seen, batches]: [string[], string[][]] = [[], []];
  const loader = new DataLoader<string, string>(async (ids) => {
    batches.push([...ids]);
    return ids.map((id) => `loaded ${id}`);
  });
  const { data, errors } = await run({ seen, loader });
  return { data, errors: errors.map((error) => JSON.stringify(error)), seen, batches };
}

async function both(query: string, variables: Record<string, unknown> = {}, operationName?: string) {
  const document = parse(query);
  const operation = getOperationAST(document, operationName);
  if (!operation) throw new Error('There is no such operation.');
  expect(validate(schema, document)).toEqual([]);
  const prepared = compiledQuery(schema, document, operation)?.prepare(variables);
  const graphqlJs = await outcomeOf(async (contextValue) => {
    const { data, errors = [] } = await execute({
      schema,
      document,
      operationName,
      contextValue,
      variableValues: variables,
    });
    return { data: JSON.stringify(data) ?? 'none', errors };
  });
  const ours = prepared && (await outcomeOf(async (contextValue) => prepared.execute(contextValue)));
  return { ours, graphqlJs };
}

const ENTITIES =
  'query($representations:[_Any!]!){_entities(representations:$representations){...on Item{id title}}}';
const items = (...ids: string[]) => ({ representations: ids.map((id) => ({ __typename: 'Item', id })) });

const QUERIES: readonly (readonly [string, string, Record<string, unknown>?, string?])[] = [
  ['entities', ENTITIES, items('1', '2', '3')],
  ['entities, of which the last is refused', ENTITIES, items('1', '2', 'bad3')],
  ['entities, of which the middle one is refused first', ENTITIES, items('1', 'bad2', '3')],
  ['entities, of which the middle one is refused last', ENTITIES, items('1', 'slowbad2', '3')],
  ['entities, of which two are refused at different times', ENTITIES, items('bad1', '2', 'slowbad3', '4')],
  ['an entity that does not exist', ENTITIES, items('null', '2')],
  [
    'entities with aliases of a non-null field',
    'query($representations:[_Any!]!){_entities(representations:$representations){__typename ...on Item{x:need y:need slow nested{need}}}}',
    items('1', 'bad2'),
  ],
  [
    'a representation of no type',
    'query($representations:[_Any!]!){_entities(representations:$representations){...on Item{id}}}',
    { representations: [{ __typename: 'Nope', id: 1 }] },
  ],
  [
    '@skip and @include',
    'query($a:Boolean!,$b:Boolean=false){item{id title@skip(if:$a) level@include(if:$b) ...F@include(if:$a)}} fragment F on Item{id need slow}',
    { a: true },
  ],
  [
    'a fragment under two conditions',
    'query($a:Boolean!,$b:Boolean!){x:item{...F@include(if:$a)} y:item{...F@include(if:$b)}} fragment F on Item{id title}',
    { a: true, b: false },
  ],
  [
    'a field under two conditions',
    'query($a:Boolean!,$b:Boolean!){item{id@skip(if:$a) ...{id@skip(if:$b)}}}',
    { a: true, b: false },
  ],
  ['nothing that is selected', 'query($a:Boolean!){item{id@skip(if:$a)} items{id@skip(if:$a)}}', { a: true }],
  ['defaults of arguments', '{first item{id}}'],
  ['a variable that is left out, of an argument with a default', 'query($n:Int){first(n:$n)}'],
  ['null as a variable', 'query($n:Int){first(n:$n)}', { n: null }],
  ['a default of a variable', 'query($n:Int=7){first(n:$n)}'],
  [
    'an input object as a variable',
    'query($i:Change){change(input:$i)}',
    { i: { id: 5, tags: 'one', inner: {} } },
  ],
  ['an input literal', '{change(input:{id:5,tags:"one",inner:{n:2},when:{a:[1,{b:null}]}})}'],
  ['a variable inside an input literal', 'query($t:String){change(input:{id:1,title:$t})}', { t: 'x' }],
  ['a variable inside an input literal that is left out', 'query($t:String){change(input:{id:1,title:$t})}'],
  [
    'a variable inside an input literal that is left out, of a field with a default',
    'query($t:String){change(input:{id:1,inner:{title:$t}})}',
  ],
  ['an input object inside an input literal', 'query($t:Inner){change(input:{id:1,inner:$t})}', { t: {} }],
  ['a variable inside a list literal', 'query($t:String!){change(input:{id:1,tags:[$t,"b"]})}', { t: 'x' }],
  ['a variable inside a JSON literal', 'query($t:JSON){change(input:{id:1,when:{a:$t}})}', { t: 'x' }],
  ['a default of an input field', 'query($i:Change){change(input:$i)}', { i: { id: 1 } }],
  [
    'unions and interfaces',
    '{pets{__typename ...on Dog{name barks} ...on Cat{name lives}} animal{name __typename ...on Cat{lives}}}',
  ],
  ['a value of no type of the union', '{badPet{__typename} item{id}}'],
  ['null for a non-null field in a list of nullable items', '{items{id need}}'],
  ['null for a non-null field of two items of a strict list', '{strict{id need} item{id}}'],
  ['a non-null field of the root that fails', '{need item{id}}'],
  ['a non-null field of the root that fails, and another error', '{need throwsText item{id}}'],
  ['a text that is thrown', '{throwsText}'],
  ['a number that is too large for Int', '{big}'],
  ['undefined', '{undef}'],
  ['an iterable with a wrong value', '{numbers}'],
  ['a list of promises of a union', '{asyncPets{...on Dog{name}}}'],
  ['an iterator that throws while an item is pending', '{brokenList item{id}}'],
  ['what is no list', '{notIterable item{id}}'],
  ['an asynchronous iterable', '{asyncIterable}'],
  ['lists of lists', '{grid}'],
  ['an odd scalar', '{odd}'],
  ['values that isTypeOf refuses', '{checked{id} checkedLater{id} anyChecked{__typename ...on Checked{id}}}'],
  ['a field that throws beside others that are pending', '{item{refusedLater failsLater failsNow} first}'],
  ['a field that throws before others', '{item{failsNow failsLater refusedLater}}'],
  ['a non-null field that fails later beside another error', '{item{failsLater refusedLater slow}}'],
  ['a promise as a property', '{promise:item{promise}}'],
  ['a method', '{item{method other:method(n:5)}}'],
  ['a getter', '{item{getter}}'],
  ['a getter that throws', '{item{id thrower slow}}'],
  ['a custom scalar', '{item{json}}'],
  ['the alias __proto__', '{item{__proto__:title id}}'],
  ['the aliases constructor and toString', '{item{constructor:title toString:id}}'],
  ['__typename', '{__typename item{__typename t:__typename}}'],
  [
    'a DataLoader below lists at two levels',
    '{items{loaded} item{loaded list{loaded list{loaded slow nested{loaded}}}}}',
  ],
  [
    'a string that looks like code',
    '{first(s:"__MAGIC_DATE__33a9e76d_02e0_4128_8e92_3530ad3da74dglobalThis.INJECTED=1")}',
  ],
  [
    'one of two operations',
    'query A{item{id}} query B($x:Boolean!){item{title @skip(if:$x)}}',
    { x: false },
    'B',
  ],
];

describe('the executor of a query', () => {
  // Rows of one length: for a missing value Jest would pass its callback.
  it.each(
    QUERIES.map(
      ([name, query, variables = {}, operationName]) => [name, query, variables, operationName] as const,
    ),
  )('does the same as graphql-js for %s', async (_name, query, variables, operationName) => {
    const { ours, graphqlJs } = await both(query, variables, operationName);
    expect(ours).toEqual(graphqlJs);
    // Executed again: nothing of the first execution is kept.
    expect((await both(query, variables, operationName)).ours).toEqual(graphqlJs);
  });

  it('can be executed again with other variables', async () => {
    const document = parse('query ($a: Boolean!, $n: Int) { first(n: $n) item { id title @skip(if: $a) } }');
    const operation = getOperationAST(document);
    if (!operation) throw new Error('There is no operation.');
    const query = compiledQuery(schema, document, operation);
    for (const variables of [{ a: true }, { a: false, n: 1 }, { a: true, n: 2 }]) {
      const { data } = await execute({ schema, document, variableValues: variables });
      expect(await query?.prepare(variables)?.execute({})).toEqual({
        data: JSON.stringify(data),
        errors: [],
      });
    }
  });

  it('loads what is at one level in one batch', async () => {
    const { ours } = await both('{item{loaded nested{loaded}} strict{loaded}}');
    expect(ours?.batches).toEqual([['d', 'dn', '1', '2', '3']]);
  });

  it('needs no promise for values that are there', () => {
    const document = parse('{item{id title nested{id level} __typename} first pets:animal{name}}');
    const operation = getOperationAST(document);
    if (!operation) throw new Error('There is no operation.');
    const result = compiledQuery(schema, document, operation)?.prepare({})?.execute({});
    expect(result).toEqual({
      data: '{"item":{"id":"d","title":"td","nested":{"id":"dn","level":"HIGH"},"__typename":"Item"},"first":"{\\"n\\":3}","pets":{"name":"c"}}',
      errors: [],
    });
  });
});

describe('the executor leaves to graphql-js', () => {
  it.each([
    ['a mutation', 'mutation{b a c}', {}],
    ['_service', '{_service{sdl}}', {}],
    ['introspection', '{__schema{queryType{name}} __type(name:"Item"){name}}', {}],
    ['null for a condition', 'query($a:Boolean=true){item{id title@skip(if:$a)}}', { a: null }],
    ['a wrong enum value', 'query($i:Change){change(input:$i)}', { i: { id: 1, level: 'NO' } }],
    ['two wrong values', 'query($i:Change){change(input:$i)}', { i: { level: 'NO', more: 1 } }],
    ['a required variable that is missing', 'query($i:Int!){first(n:$i)}', {}],
    ['a number for a string', 'query($s:String){first(s:$s)}', { s: 1 }],
    ['a list for an input object', 'query($i:Change){change(input:$i)}', { i: [] }],
  ])('%s', async (_name, query, variables) => {
    const { ours, graphqlJs } = await both(query, variables);
    expect(ours).toBeUndefined();
    expect(graphqlJs).toBeDefined();
  });
});
