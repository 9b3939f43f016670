import { describe, expect, it } from '@jest/globals';
import { getOperationAST, isObjectType, Kind, parse, GraphQLScalarType, type GraphQLLeafType } from 'graphql';
import { quoted } from '#server/graphql/quoted.ts';
import { jsonOf } from '../../../gateway/response/json-text.ts';
import { leafWriter } from '../../../gateway/response/leaf-values.ts';
import { locatedValuesAt, valuesAt } from '../../../gateway/response/response-path.ts';
import { conditionVariables, SelectedFields } from '../../../gateway/response/selected-fields.ts';
import { schema } from './parts-schema.ts';
import { isEscapeFree } from '../../../gateway/subgraphs/subgraph.ts';

describe('JSON text', () => {
  it.each([
    '',
    'plain',
    'a "quote"',
    'back\\slash',
    'tab\t',
    '\u2028',
    'é 🏋',
    '\ud800 alone',
    'x'.repeat(5_000),
  ])('of %j is that of JSON.stringify', (text) => {
    expect(quoted(text)).toBe(JSON.stringify(text));
    expect(jsonOf({ text: [text, 1.5, null, true] })).toBe(JSON.stringify({ text: [text, 1.5, null, true] }));
  });
});

describe('an answer without escaped characters', () => {
  it.each([
    ['{"data":{"name":"Iron ünïcödé 🏋  "}}', true],
    ['{"data":{"name":"a \\"quote\\""}}', false],
    ['{"data":{"name":"line\\nbreak"}}', false],
    ['{"data":{"name":"\\ud800 alone"}}', false],
  ])('is recognized by its text: %s', (text, hasNoEscapes) => {
    expect(isEscapeFree(text)).toBe(hasNoEscapes);
    const { name } = (JSON.parse(text) as { data: { name: string } }).data;
    expect(`"${name}"` === JSON.stringify(name)).toBe(hasNoEscapes);
  });
});

describe('paths', () => {
  const data = { a: [{ b: [[{ id: 1 }], [null, { id: 2 }]] }, null, { b: null }, { b: [[{ id: 3 }]] }] };
  const path = ['a', '@', 'b', '@', '@'];

  it('find all values that are not null, with their response paths', () => {
    expect(valuesAt(data, path)).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }]);
    expect(locatedValuesAt(data, path).map(({ path: found }) => found)).toEqual([
      ['a', 0, 'b', 0, 0],
      ['a', 0, 'b', 1, 1],
      ['a', 3, 'b', 0, 0],
    ]);
  });

  it('lead to a repeated value once, but to each of its response paths', () => {
    const inner = { list: [{ id: 1 }, { id: 2 }] };
    const root = { all: [{ inner }, { inner }] };
    const to = ['all', '@', 'inner', 'list', '@'];
    expect(valuesAt(root, to, new Map([[inner, { shape: undefined, text: '' }]]))).toEqual([
      { id: 1 },
      { id: 2 },
    ]);
    expect(locatedValuesAt(root, to)).toHaveLength(4);
  });

  it('throw if the data has a list instead of an object, or the other way round', () => {
    expect(() => valuesAt({ a: { b: 1 } }, ['a', '@'])).toThrow('Expected a list at "a"');
    expect(() => valuesAt({ a: [1] }, ['a', 'b'])).toThrow('Expected an object at "a"');
    expect(valuesAt({ a: 'text' }, ['a', 'b'])).toEqual([]);
  });
});

describe('leaf values', () => {
  const writer = (name: string) => leafWriter(schema.getType(name) as GraphQLLeafType);

  it.each([
    ['Int', 5, '5'],
    ['Int', 1e20, '100000000000000000000'],
    ['Int', 1e21, undefined],
    ['Int', 1.5, undefined],
    ['Int', '5', undefined],
    ['Float', 0.25, '0.25'],
    ['Float', 'x', undefined],
    ['Boolean', false, 'false'],
    ['Boolean', 0, undefined],
    ['String', 'x', '"x"'],
    ['String', 1, undefined],
    ['ID', 'x', '"x"'],
    ['ID', 7, '7'],
    ['ID', 7.5, undefined],
    ['Size', 'SMALL', '"SMALL"'],
    ['Size', 'HUGE', undefined],
    ['Any', { a: [1] }, '{"a":[1]}'],
    ['Any', 'x', '"x"'],
  ])('of type %s: %j is written as %s', (type, value, text) => {
    const specified = { Int: 'Int', Float: 'Float', Boolean: 'Boolean' }[type];
    const write = specified ? leafWriter(new GraphQLScalarType({ name: specified })) : writer(type);
    expect(write(value)).toBe(text);
  });
});

describe('the selected fields', () => {
  const document = parse(`
    query Films($yes: Boolean!, $no: Boolean!) {
      film { id ...Title maker @skip(if: $yes) { id } ... on Film @include(if: $no) { own: id } ... on Song { never: id } }
    }
    fragment Title on Media { __typename ... on Film { title id } }
    fragment Unused on Film { id @skip(if: $other) }
  `);
  const operation = getOperationAST(document);
  const film = schema.getType('Film');
  if (!operation || !isObjectType(film)) throw new Error('nothing to select');

  it('depend on the variables of @skip and @include in the operation and its fragments', () => {
    expect(conditionVariables(document, operation)).toEqual(['yes', 'no']);
  });

  it.each([
    [true, false, ['id', '__typename', 'title']],
    [false, true, ['id', '__typename', 'title', 'maker', 'own']],
  ])('with $yes = %s and $no = %s are %j', (yes, no, names) => {
    const selected = new SelectedFields(
      schema,
      document,
      new Map([
        ['yes', yes],
        ['no', no],
      ]),
    );
    const [top] = operation.selectionSet.selections;
    const selectionSets = top?.kind === Kind.FIELD && top.selectionSet ? [top.selectionSet] : [];
    expect([...selected.of(film, selectionSets).keys()]).toEqual(names);
  });
});
