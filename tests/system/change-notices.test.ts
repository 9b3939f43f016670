import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { buildSchema, getNamedType, isObjectType, type GraphQLObjectType } from 'graphql';
import { AppliedDirectives } from '#server/graphql/applied-directives.ts';
import { CacheDirectives, NO_CACHING, serviceOf } from '../../gateway/cache/cache-directives.ts';
import { subgraphs } from '../../subgraphs/index.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';

/** The tables whose rows decide the fields of each type that may be cached. */
const TABLES: Readonly<Record<string, readonly string[]>> = {
  Exercise: ['content.exercise'],
  Facet: ['content.exercise'],
  Gym: ['gym.gym'],
  GymConfig: ['gym.gym'],
  Location: ['gym.gym', 'gym.location'],
  Product: ['content.product'],
  ProductVariant: ['content.product'],
  WorkoutRoutine: ['content.workout_favourite', 'content.workout_routine'],
};
/** Pages of lists have no rows of their own. */
const isPage = (name: string): boolean => /(Connection|Edge|^PageInfo)$/.test(name);

const sdl = readFileSync(new URL('../../schema/supergraph.graphql', import.meta.url), 'utf8');
const schema = buildSchema(sdl, { assumeValidSDL: true });
const directives = new CacheDirectives(new AppliedDirectives(sdl));

/** The types that may be cached, each with the kinds of changes on which its cached fields depend. */
function cacheableTypes(): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  const add = (
    type: GraphQLObjectType,
    inherited: ReturnType<CacheDirectives['ofType']>,
    isRoot: boolean,
  ) => {
    for (const field of Object.values(type.getFields())) {
      const rule = directives.ofField(type, field, inherited, isRoot);
      const inside = getNamedType(field.type);
      if (rule.maxAge === 0 || !isObjectType(inside)) continue;
      const known = found.get(inside.name) ?? new Set();
      const before = known.size;
      for (const kind of rule.kinds) known.add(kind);
      const isNew = !found.has(inside.name) || known.size > before;
      found.set(inside.name, known);
      if (isNew) add(inside, rule, false);
    }
  };
  const query = schema.getQueryType();
  if (query) add(query, NO_CACHING, true);
  for (const type of Object.values(schema.getTypeMap()))
    if (isObjectType(type)) {
      const rule = directives.ofType(type.name);
      if (rule.maxAge === 0) continue;
      found.set(type.name, new Set([...(found.get(type.name) ?? []), ...rule.kinds]));
      add(type, rule, false);
    }
  return found;
}

let platform: TestPlatform;
/** The tables whose triggers note each kind. */
const tablesByKind = new Map<string, string[]>();

beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym', 'content'] });
  for (const service of ['gym', 'content'] as const) {
    const rows = (await platform.sql(
      service,
      `select distinct tgrelid::regclass::text as "table", split_part(encode(tgargs, 'escape'), '\\000', 1) as kind
       from pg_trigger join pg_proc on pg_proc.oid = tgfoid where proname in ('note_change', 'note_own_change')
       order by 1`,
    )) as { table: string; kind: string }[];
    for (const { table, kind } of rows) {
      const key = `${service}:${kind}`;
      tablesByKind.set(key, [...(tablesByKind.get(key) ?? []), `${service}.${table}`]);
    }
  }
});
afterAll(() => platform.stop());

describe('the types that gateways may cache', () => {
  it('are those that this test names, and the triggers of their tables note every change', () => {
    const types = [...cacheableTypes()].filter(([name]) => !isPage(name));
    expect(types.map(([name]) => name).toSorted()).toEqual(Object.keys(TABLES).toSorted());
    for (const [name, kinds] of types)
      expect({ name, tables: [...kinds].flatMap((kind) => tablesByKind.get(kind) ?? []).toSorted() }).toEqual(
        {
          name,
          tables: TABLES[name],
        },
      );
  });

  it('depend on kinds that their services declare, and every declared kind is noted', () => {
    const declared = subgraphs.flatMap(({ name, changeKinds = [] }) =>
      changeKinds.map((kind: string) => `${name}:${kind}`),
    );
    expect([...tablesByKind.keys()].toSorted()).toEqual(declared.toSorted());
    const used = [...cacheableTypes().values()].flatMap((kinds) => [...kinds]);
    expect(used.filter((kind) => !declared.includes(kind))).toEqual([]);
    expect([...directives.services].toSorted()).toEqual([...new Set(declared.map(serviceOf))].toSorted());
  });
});
