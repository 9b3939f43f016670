import { describe, expect, it } from '@jest/globals';
import {
  buildSchema,
  getOperationAST,
  isObjectType,
  Kind,
  parse,
  GraphQLScalarType,
  type GraphQLLeafType,
} from 'graphql';
import Upload from 'graphql-upload/Upload.mjs';
import type { FetchNode, QueryPlanSelectionNode } from '@apollo/query-planner';
import { batchEntities } from '../../../gateway/fetch/entity-batch.ts';
import { quoted } from '#server/graphql/quoted.ts';
import { jsonOf } from '../../../gateway/response/json-text.ts';
import { leafWriter } from '../../../gateway/response/leaf-values.ts';
import { copyOf, merge } from '../../../gateway/fetch/merge.ts';
import { compileRepresentations } from '../../../gateway/fetch/representations.ts';
import { locatedValuesAt, valuesAt } from '../../../gateway/response/response-path.ts';
import { compileRewrites } from '../../../gateway/fetch/rewrites.ts';
import { conditionVariables, SelectedFields } from '../../../gateway/response/selected-fields.ts';
import { errorsOf } from '../../../gateway/fetch/subgraph-errors.ts';
import { isEscapeFree } from '../../../gateway/subgraphs/subgraph.ts';
import { uploadVariables, withoutFiles, type Files } from '../../../gateway/fetch/upload-variables.ts';

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

describe('merging', () => {
  it('merges objects and lists of equal length, and replaces other values', () => {
    const target = { a: { x: 1 }, list: [{ x: 1 }, null], other: [1, 2], none: null, text: 'old' };
    merge(target, { a: { y: 2 }, list: [{ y: 2 }, { y: 3 }], other: [3], none: { z: 1 }, text: null });
    expect(target).toEqual({
      a: { x: 1, y: 2 },
      list: [{ x: 1, y: 2 }, { y: 3 }],
      other: [3],
      none: { z: 1 },
      text: null,
    });
  });

  it('does not let a subgraph set a prototype', () => {
    const target: Record<string, unknown> = { inner: {} };
    const answer = JSON.parse('{"__proto__":{"admin":true},"inner":{"__proto__":{"admin":true}}}') as object;
    merge(target, answer as Record<string, unknown>);
    expect((target as { admin?: boolean }).admin).toBeUndefined();
    expect((target['inner'] as { admin?: boolean }).admin).toBeUndefined();
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
    expect((copyOf(answer) as { admin?: boolean }).admin).toBeUndefined();
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

  it('lead to a repeated value only once', () => {
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

const schema = buildSchema(`
  scalar Upload  scalar Any
  enum Size { SMALL LARGE }
  interface Media { id: ID! }
  type Film implements Media { id: ID! title: String maker: Person }
  type Song implements Media { id: ID! title: String }
  type Person { id: ID! name: String }
  input Form { name: String next: Form pictures: [Upload!] }
  input Plain { name: String }
  type Query { media: [Media] film(form: Form, plain: Plain): Film }
`);

const field = (name: string, selections?: QueryPlanSelectionNode[]): QueryPlanSelectionNode => ({
  kind: 'Field',
  name,
  ...(selections && { selections }),
});
const on = (typeCondition: string, ...selections: QueryPlanSelectionNode[]): QueryPlanSelectionNode => ({
  kind: 'InlineFragment',
  typeCondition,
  selections,
});

describe('representations', () => {
  const represent = (requires: QueryPlanSelectionNode[], more: Partial<FetchNode> = {}) => {
    const representationOf = compileRepresentations(
      { kind: 'Fetch', requires, ...more } as FetchNode,
      schema,
    );
    return (entity: Record<string, unknown>) => representationOf(entity['__typename']).write(entity, false);
  };

  it('contain the required fields of the entity and nothing else', () => {
    const film = represent([on('Film', field('__typename'), field('id')), on('Song', field('__typename'))]);
    expect(film({ __typename: 'Film', id: 'a "1"', title: 'x' })).toBe(
      '{"__typename":"Film","id":"a \\"1\\""}',
    );
    expect(film({ __typename: 'Song', id: '2' })).toBe('{"__typename":"Song"}');
  });

  it.each([true, false])(
    'are written with and without a scan for characters to escape (%j)',
    (hasNoEscapes) => {
      const requires = [on('Film', field('__typename'), field('id'), field('year'), field('title'))];
      const representationOf = compileRepresentations({ kind: 'Fetch', requires } as FetchNode, schema);
      const film = { __typename: 'Film', id: '1', year: 1999, title: 'Pumping' };
      expect(representationOf('Film').write(film, hasNoEscapes)).toBe(JSON.stringify(film));
    },
  );

  it('are undefined for other types, and if a required field is missing', () => {
    const film = represent([on('Film', field('__typename'), field('id'))]);
    expect(film({ __typename: 'Song', id: '1' })).toBeUndefined();
    expect(film({ __typename: 'Film' })).toBeUndefined();
    expect(film({ id: '1' })).toBeUndefined();
    expect(film({ __typename: 'Film', id: null })).toBe('{"__typename":"Film","id":null}');
  });

  it('combine several type conditions and nested selections', () => {
    const media = represent([
      on('Media', field('__typename'), field('id')),
      on('Film', field('maker', [field('id')])),
    ]);
    expect(media({ __typename: 'Film', id: '1', maker: { id: 'p', name: 'x' } })).toBe(
      '{"__typename":"Film","id":"1","maker":{"id":"p"}}',
    );
    expect(media({ __typename: 'Song', id: '1' })).toBe('{"__typename":"Song","id":"1"}');
  });

  it('are rewritten if the subgraph has the interface only', () => {
    const media = represent([on('Film', field('__typename'), field('id'))], {
      inputRewrites: [{ kind: 'ValueSetter', path: ['... on Film', '__typename'], setValueTo: 'Media' }],
    });
    expect(media({ __typename: 'Film', id: '1' })).toBe('{"__typename":"Media","id":"1"}');
  });
});

describe('an entity batch', () => {
  it.each([true, false])(
    'contains each entity once, recognized by its id or by all required fields',
    (hasNoEscapes) => {
      const of = (requires: QueryPlanSelectionNode[]) =>
        compileRepresentations({ kind: 'Fetch', requires } as FetchNode, schema);
      const film = (id: unknown, title = 'x') => ({ __typename: 'Film', id, title });
      const song = (id: unknown) => ({ __typename: 'Song', id });
      const entities = [
        film('1'),
        song('1'),
        film('1', 'y'),
        'text',
        film(1),
        film(1),
        { __typename: 'Film' },
      ];
      expect(
        batchEntities(
          entities,
          of([on('Film', field('__typename'), field('id')), on('Song', field('__typename'), field('id'))]),
          hasNoEscapes,
        ),
      ).toMatchObject({
        indexes: [0, 1, 0, -1, 2, 2, -1],
        representations: [
          '[{"__typename":"Film","id":"1"},{"__typename":"Song","id":"1"},{"__typename":"Film","id":1}]',
        ],
        count: 3,
        hasRepeats: true,
      });
      expect(
        batchEntities(
          entities,
          of([on('Film', field('__typename'), field('id'), field('title'))]),
          hasNoEscapes,
        ),
      ).toMatchObject({
        indexes: [0, -1, 1, -1, 2, 2, -1],
        count: 3,
      });
      expect(batchEntities([], of([]), hasNoEscapes)).toMatchObject({
        indexes: [],
        representations: [],
        count: 0,
        hasRepeats: false,
      });
    },
  );
});

describe('rewrites', () => {
  it('rename fields of the types of their conditions', () => {
    const rewrite = compileRewrites(
      [{ kind: 'KeyRenamer', path: ['media', '... on Film', 'title__alias_0'], renameKeyTo: 'title' }],
      schema,
    );
    const data = {
      media: [{ __typename: 'Film', title__alias_0: 'x' }, { __typename: 'Song', title__alias_0: 'y' }, null],
    };
    rewrite?.(data);
    expect(JSON.parse(JSON.stringify(data))).toEqual({
      media: [{ __typename: 'Film', title: 'x' }, { __typename: 'Song', title__alias_0: 'y' }, null],
    });
  });
});

describe('errors of subgraphs', () => {
  it('keep code and extensions, and have paths in the response', () => {
    const [error] = errorsOf(
      [{ message: 'not there', path: ['a', 1], extensions: { code: 'NOT_FOUND', more: 1 } }],
      'gym',
      (path) => [['top', ...path]],
    );
    expect(error?.toJSON()).toEqual({
      message: 'not there',
      path: ['top', 'a', 1],
      extensions: { code: 'NOT_FOUND', more: 1, serviceName: 'gym' },
    });
  });

  it.each([[null], ['text'], [{}], [{ message: 7, path: 'abc', extensions: 'no' }], [{ path: [{}] }]])(
    'become GraphQL errors, even with an invalid shape: %j',
    (received) => {
      const errors = errorsOf([received as object], 'gym', (path) => [path]);
      expect(errors.map((error) => error.toJSON())).toEqual([
        {
          message: 'Error while fetching subquery from service "gym"',
          extensions: { code: 'DOWNSTREAM_SERVICE_ERROR', serviceName: 'gym' },
        },
      ]);
    },
  );
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

describe('files in variables', () => {
  it('are found in variables whose type contains Upload', () => {
    const operation = getOperationAST(
      parse('query ($one: Upload, $form: [Form!]!, $plain: Plain, $text: String) { media { id } }'),
    );
    expect(operation && [...uploadVariables(schema, operation)]).toEqual(['one', 'form']);
  });

  it('are replaced with null, and listed by their paths', () => {
    const [one, two] = [new Upload(), new Upload()];
    const form = Object.assign(Object.create(null) as object, { name: 'x', next: { pictures: [one, two] } });
    const files: Files = new Map();
    expect(withoutFiles(form, 'variables.form', files)).toEqual({
      name: 'x',
      next: { pictures: [null, null] },
    });
    expect([...files]).toEqual([
      ['variables.form.next.pictures.0', one.promise],
      ['variables.form.next.pictures.1', two.promise],
    ]);
    expect(form).toMatchObject({ next: { pictures: [one, two] } });
  });
});
