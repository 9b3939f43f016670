import { describe, expect, it } from '@jest/globals';
import DataLoader from 'dataloader';
import { execute, getOperationAST, type GraphQLError, parse, validate } from 'graphql';
import { schema, type Context } from './executor-schema.ts';
import { compiledQuery } from '../../server/graphql/executor/compiled-query.ts';

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
  [
    'no field that is selected',
    'query($a:Boolean!){item{id@skip(if:$a)} items{id@skip(if:$a)}}',
    { a: true },
  ],
  ['defaults of arguments', '{first item{id}}'],
  ['a variable without a value, for an argument with a default', 'query($n:Int){first(n:$n)}'],
  ['null as a variable', 'query($n:Int){first(n:$n)}', { n: null }],
  ['a default of a variable', 'query($n:Int=7){first(n:$n)}'],
  [
    'an input object as a variable',
    'query($i:Change){change(input:$i)}',
    { i: { id: 5, tags: 'one', inner: {} } },
  ],
  ['an input literal', '{change(input:{id:5,tags:"one",inner:{n:2},when:{a:[1,{b:null}]}})}'],
  ['a variable inside an input literal', 'query($t:String){change(input:{id:1,title:$t})}', { t: 'x' }],
  ['a variable without a value inside an input literal', 'query($t:String){change(input:{id:1,title:$t})}'],
  [
    'a variable without a value inside an input literal, for a field with a default',
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
  ['a value that is no list', '{notIterable item{id}}'],
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
  // Each row has all four values, because Jest would pass its `done` callback in place of a missing one.
  it.each(
    QUERIES.map(
      ([name, query, variables = {}, operationName]) => [name, query, variables, operationName] as const,
    ),
  )('does the same as graphql-js for %s', async (_name, query, variables, operationName) => {
    const { ours, graphqlJs } = await both(query, variables, operationName);
    expect(ours).toEqual(graphqlJs);
    // A second execution has the same outcome, because nothing of the first one is kept.
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

  it('loads in one batch what fields at two levels need', async () => {
    const { ours } = await both('{item{loaded nested{loaded}} strict{loaded}}');
    expect(ours?.batches).toEqual([['d', 'dn', '1', '2', '3']]);
  });

  it('returns no promise if no resolver returns one', () => {
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
