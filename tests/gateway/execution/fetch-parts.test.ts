import { describe, expect, it } from '@jest/globals';
import { getOperationAST, parse } from 'graphql';
import Upload from 'graphql-upload/Upload.mjs';
import type { FetchNode, QueryPlanSelectionNode } from '@apollo/query-planner';
import { batchEntities } from '../../../gateway/fetch/entity-batch.ts';
import { copyOf, merge } from '../../../gateway/fetch/merge.ts';
import { compileRepresentations } from '../../../gateway/fetch/representations.ts';
import { compileRewrites } from '../../../gateway/fetch/rewrites.ts';
import { schema } from './parts-schema.ts';
import { errorsOf } from '../../../gateway/fetch/subgraph-errors.ts';
import { uploadVariables, withoutFiles, type Files } from '../../../gateway/fetch/upload-variables.ts';

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
    const writerOf = compileRepresentations({ kind: 'Fetch', requires, ...more } as FetchNode, schema);
    return (entity: Record<string, unknown>) => writerOf(entity['__typename']).write(entity, false);
  };

  it('contain the required fields of the entity and nothing else', () => {
    const film = represent([on('Film', field('__typename'), field('id')), on('Song', field('__typename'))]);
    expect(film({ __typename: 'Film', id: 'a "1"', title: 'x' })).toBe(
      '{"__typename":"Film","id":"a \\"1\\""}',
    );
    expect(film({ __typename: 'Song', id: '2' })).toBe('{"__typename":"Song"}');
  });

  it.each([true, false])(
    'are the same JSON with and without a scan for characters to escape (hasNoEscapes: %j)',
    (hasNoEscapes) => {
      const requires = [on('Film', field('__typename'), field('id'), field('year'), field('title'))];
      const writerOf = compileRepresentations({ kind: 'Fetch', requires } as FetchNode, schema);
      const film = { __typename: 'Film', id: '1', year: 1999, title: 'Pumping' };
      expect(writerOf('Film').write(film, hasNoEscapes)).toBe(JSON.stringify(film));
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
    'contains each entity once, recognized by its id or by all required fields (hasNoEscapes: %j)',
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
  it('rename a field only in objects of the type that their path names', () => {
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
