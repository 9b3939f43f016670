import { z } from 'zod';
import { ERRORS, PlatformError, type ErrorCode } from '../errors.ts';
import { ANONYMOUS_MAX_REPRESENTATIONS } from '../graphql/cost.ts';
import { unavailable, type CallsToServices } from '../service-calls.ts';
import type { ServiceName } from '../settings.ts';
import type { Origin } from '../unit-of-work.ts';

/** A type of another service whose entities this service refers to by their ids. */
interface ReferencedType<Shape extends z.ZodRawShape = z.ZodRawShape> {
  /** The service that owns the entities. */
  readonly owner: ServiceName;
  /** The entities' type in the graph, whose key is `id`. */
  readonly typeName: string;
  /** The fields that the rule of the reference needs. */
  readonly shape: z.ZodObject<Shape>;
}

interface FindReferencesOptions {
  /**
   * `caller` sends the caller's token, so that they can refer only to entities that they may see; `service` sends this
   * service's own token, and finds every entity that exists.
   */
  readonly as: 'caller' | 'service';
  /** The origin of the request that causes the write. */
  readonly origin: Origin;
}

/** The representations in one request: as many as a service accepts from any caller. */
const MAX_REPRESENTATIONS_PER_REQUEST = ANONYMOUS_MAX_REPRESENTATIONS;

/**
 * Asks the owning services whether the targets of references exist and whether the caller may see them. It uses
 * `_entities`, as the gateway does, so that references follow the same rules as reads.
 *
 * The answer may be outdated a moment later. A rule that stores a reference asks first, and then calls
 * `removedAmong` (removed-references.ts) in the transaction that stores it.
 */
export class References {
  private readonly calls: CallsToServices;

  constructor(calls: CallsToServices) {
    this.calls = calls;
  }

  /**
   * The entities that exist among `ids`, by the id as the caller wrote it.
   * @throws UPSTREAM_UNAVAILABLE, UPSTREAM_TIMEOUT if the owner does not answer; the owner's 4xx if it refuses the caller
   */
  async find<Shape extends z.ZodRawShape>(
    type: ReferencedType<Shape>,
    ids: readonly string[],
    options: FindReferencesOptions,
  ): Promise<ReadonlyMap<string, z.output<z.ZodObject<Shape>>>> {
    const distinct = [...new Set(ids)];
    const chunks = Array.from(
      { length: Math.ceil(distinct.length / MAX_REPRESENTATIONS_PER_REQUEST) },
      (_, index) =>
        distinct.slice(
          index * MAX_REPRESENTATIONS_PER_REQUEST,
          (index + 1) * MAX_REPRESENTATIONS_PER_REQUEST,
        ),
    );
    const found = await Promise.all(chunks.map((chunk) => this.entitiesOf(type, chunk, options)));
    return new Map(found.flat());
  }

  private async entitiesOf<Shape extends z.ZodRawShape>(
    { owner, typeName, shape }: ReferencedType<Shape>,
    ids: readonly string[],
    options: FindReferencesOptions,
  ): Promise<[string, z.output<z.ZodObject<Shape>>][]> {
    const fields = Object.keys(shape.shape).join(' ');
    const answer = await this.calls.to(owner).call({
      ...options,
      method: 'POST',
      path: '/graphql',
      body: {
        query: `query References($representations: [_Any!]!) { _entities(representations: $representations) { ... on ${typeName} { ${fields} } } }`,
        variables: { representations: ids.map((id) => ({ __typename: typeName, id })) },
      },
    });
    const { data, errors } = EntitiesAnswer.parse(answer);
    const [error] = errors ?? [];
    if (error || !data) throw refusalOf(owner, error);
    const entities = z.array(shape.nullable()).length(ids.length).parse(data._entities);
    return entities.flatMap((entity, index) => (entity ? [[ids[index] ?? '', entity] as const] : [])) as [
      string,
      z.output<z.ZodObject<Shape>>,
    ][];
  }
}

const EntitiesAnswer = z.object({
  data: z.object({ _entities: z.array(z.unknown()) }).nullish(),
  errors: z
    .array(z.object({ message: z.string(), extensions: z.looseObject({ code: z.string() }).optional() }))
    .optional(),
});

/** The owner's 4xx, which the caller gets unchanged; UPSTREAM_UNAVAILABLE for any other error. */
function refusalOf(
  owner: ServiceName,
  error: { message: string; extensions?: { code: string } | undefined } | undefined,
): PlatformError {
  const code = error?.extensions?.code ?? '';
  if (Object.hasOwn(ERRORS, code) && ERRORS[code as ErrorCode].status < 500)
    return new PlatformError(code as ErrorCode, error?.message ?? '');
  return unavailable(
    owner,
    false,
    new Error(error?.message ?? 'the answer to _entities has neither data nor errors'),
  );
}
