import {
  GraphQLError,
  isAbstractType,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
} from 'graphql';
import { PlatformError } from '../../../server/errors.ts';
import { randomFrom, type Random } from '../graph-doubles/random.ts';
import type { MadeUpContext } from './both-executions.ts';

/** Fields that have a resolver of their own; the others are properties of their objects. */
export type HasResolver = (type: GraphQLObjectType, field: string) => boolean;

/** A list whose path has more parts than this is empty, because the values of recursive types would never end. */
const DEEPEST = 7;

/** Makes valid and invalid values of any type, some of them as promises. A value depends on the seed and its key only. */
export class MadeUpValues {
  private readonly schema: GraphQLSchema;
  private readonly hasResolver: HasResolver;

  constructor(schema: GraphQLSchema, hasResolver: HasResolver) {
    this.schema = schema;
    this.hasResolver = hasResolver;
  }

  /** The result of a field's resolver: a value or a promise. May throw an error. */
  ofField(type: GraphQLOutputType, key: string, context: MadeUpContext): unknown {
    const random = randomFrom(`${context.seed}/${key}`);
    if (random.chance(0.04 * context.faultRate)) throw thrown(key, random);
    const give = () => this.value(type, key, context, random);
    if (random.chance(0.3))
      return this.later(key, context, random, () => {
        if (random.chance(0.06 * context.faultRate)) throw thrown(key, random);
        return give();
      });
    return give();
  }

  private later(key: string, { turns }: MadeUpContext, random: Random, give: () => unknown): unknown {
    const promise = turns.later(key, give);
    if (!random.chance(0.1)) return promise;
    // oxlint-disable-next-line unicorn/no-thenable -- query builders, for example, are thenable and not promises
    return { then: promise.then.bind(promise) };
  }

  private value(type: GraphQLOutputType, key: string, context: MadeUpContext, random: Random): unknown {
    if (random.chance(0.01 * context.faultRate)) return new Error(`an error as the value of ${key}`);
    if (isNonNullType(type)) {
      if (random.chance(0.02 * context.faultRate)) return null;
      return this.present(type.ofType, key, context, random);
    }
    if (random.chance(0.1)) return random.chance(0.5) ? null : undefined;
    return this.present(type, key, context, random);
  }

  private present(type: GraphQLOutputType, key: string, context: MadeUpContext, random: Random): unknown {
    if (isListType(type)) return this.list(type.ofType, key, context, random);
    if (isObjectType(type)) return this.object(type, key, context, random);
    if (isAbstractType(type)) {
      const possible = this.schema.getPossibleTypes(type);
      const concrete = random.pick(possible);
      const named = random.chance(0.04 * context.faultRate)
        ? random.pick<unknown>(['Nothing', type.name, 'Query', 5, null, random.pick(possible).name])
        : concrete.name;
      return this.object(concrete, key, context, random, named);
    }
    if (isEnumType(type))
      return random.chance(0.02 * context.faultRate)
        ? 'NO SUCH'
        : (random.pick(type.getValues()).value as unknown);
    return random.chance(0.03 * context.faultRate) ? random.pick(WRONG_LEAVES) : leaf(String(type), random);
  }

  private list(item: GraphQLOutputType, key: string, context: MadeUpContext, random: Random): unknown {
    if (random.chance(0.02 * context.faultRate)) return random.pick<unknown>(['text', 7, {}, asynchronous()]);
    const length = key.split('.').length > DEEPEST ? 0 : random.below(4);
    const itemOf = (_: unknown, index: number): unknown => {
      const at = `${key}.${index}`;
      const own = randomFrom(`${context.seed}/${at}`);
      const give = () => this.value(item, at, context, own);
      if (own.chance(0.15))
        return this.later(at, context, own, () => {
          if (own.chance(0.15 * context.faultRate)) throw thrown(at, own);
          return give();
        });
      return give();
    };
    const items = Array.from({ length }, itemOf);
    if (random.chance(0.05)) return new Set(items);
    if (random.chance(0.03 * context.faultRate)) return thenThrowing(items, `the list ${key} broke off`);
    return items;
  }

  private object(
    type: GraphQLObjectType,
    key: string,
    context: MadeUpContext,
    random: Random,
    typename: unknown = type.name,
  ): unknown {
    if (random.chance(0.01 * context.faultRate)) return random.pick<unknown>(['text', 7, () => 'a function']);
    const object = { __typename: typename, key, [MADE_UP_TYPE]: type.name };
    for (const field of Object.values(type.getFields())) {
      if (this.hasResolver(type, field.name)) continue;
      const at = `${key}.${field.name}`;
      const isMethod = randomFrom(`${context.seed}/${at}/method`).chance(0.1);
      const get = () =>
        isMethod
          ? (args: object, { calls }: MadeUpContext) => {
              calls.push(`${at} ${JSON.stringify(args)}`);
              return this.ofField(field.type, at, context);
            }
          : this.ofField(field.type, at, context);
      Object.defineProperty(object, field.name, { get, enumerable: true });
    }
    return object;
  }
}

/** The type of a made-up object, whatever its `__typename` says. */
export const MADE_UP_TYPE = Symbol('the type of a made-up object');

function thrown(key: string, random: Random): unknown {
  const message = `failed at ${key}`;
  return random.pick<() => unknown>([
    () => new PlatformError('NOT_FOUND', message),
    () => new PlatformError('NOT_FOUND', message),
    () => new Error(message),
    () => new GraphQLError(message, { extensions: { code: 'FORBIDDEN', http: { status: 403 } } }),
    () => new GraphQLError(message, { path: ['a', 'path', 'of', 'its', 'own'] }),
    () => Object.assign(new Error(message), { extensions: { code: 'CONFLICT' } }),
    () => `${message}, as a text`,
    () => ({ an: 'object' }),
    () => null,
    () => undefined,
  ])();
}

function* thenThrowing(items: unknown[], message: string): Generator {
  yield* items;
  throw new Error(message);
}

async function* asynchronous(): AsyncGenerator<number> {
  yield 1;
}

const WRONG_LEAVES: readonly unknown[] = [
  'x',
  1.5,
  1e12,
  NaN,
  true,
  {},
  [],
  -0,
  3_000_000_000,
  { valueOf: () => 'from valueOf' },
  {
    valueOf: () => {
      throw new Error('valueOf failed');
    },
  },
  { toJSON: () => 4 },
  new Date(0),
];

function leaf(type: string, random: Random): unknown {
  switch (type) {
    case 'Int':
      return random.below(1_000) - 500;
    case 'Float':
      return random.pick([random.below(1_000) / 8, 1e21, 5e-7, 7]);
    case 'Boolean':
      return random.chance(0.5);
    case 'ID':
      return random.pick<unknown>([`id-${random.below(5)}`, random.below(9)]);
    case 'DateTime':
      return random.pick<unknown>([new Date(1.7e12 + random.below(1e9)), '2026-02-03T04:05:06.000Z']);
    case 'Date':
      return '2026-02-03';
    case 'JSON':
      return random.pick<unknown>([{ a: [1, null, 'x'], b: { c: true } }, [1, 2], 'text "quoted"', 7, false]);
    default:
      return random.pick([
        'plain',
        'ünïcödé 🏋',
        '',
        '\u2028',
        'with "quotes" and \\',
        'line\nbreak',
        '\ud83c',
        'x'.repeat(60),
      ]);
  }
}
