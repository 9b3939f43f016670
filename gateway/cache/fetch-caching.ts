import { createHash } from 'node:crypto';
import type { FetchNode } from '@apollo/query-planner';
import type { GraphQLSchema } from 'graphql';
import { isJsonObject, jsonIn, type JsonObject } from '#server/json-object.ts';
import { ExecutionContext } from '../execution/execution-context.ts';
import type { FetchRequest } from '../fetch/fetch-request.ts';
import { isEscapeFree, type SubgraphAnswer, type SubgraphError } from '../subgraphs/subgraph.ts';
import type { CacheDirectives } from './cache-directives.ts';
import { fetchPolicyOf, type FetchPolicy } from './fetch-policy.ts';
import type { CacheUse, FoundValue, SharedCache } from './shared-cache.ts';

/** What a step of a plan needs of a request: its answer, from the service or from the cache. */
export type SentRequest = Pick<FetchRequest, 'send' | 'sendFor'>;

/** Decides, when a plan is compiled, which of its fetches are answered from the shared cache. */
export class FetchCaching {
  private readonly cache: SharedCache;
  private readonly schema: GraphQLSchema;
  private readonly directives: CacheDirectives;

  constructor(cache: SharedCache, schema: GraphQLSchema, directives: CacheDirectives) {
    this.cache = cache;
    this.schema = schema;
    this.directives = directives;
  }

  policyOf(fetch: FetchNode): FetchPolicy | undefined {
    return fetchPolicyOf(fetch, this.schema, this.directives);
  }

  /** The request with the cache in front of it, or `request` itself if its answers may not be cached. */
  requestFor(fetch: FetchNode, request: FetchRequest): SentRequest {
    const policy = this.policyOf(fetch);
    return policy ? new CachedRequest(this.cache, policy, fetch, request) : request;
  }
}

/** A request that is sent only if the cache does not have its answer: the answer as a whole, or that for each entity. */
class CachedRequest implements SentRequest {
  private readonly cache: SharedCache;
  private readonly policy: FetchPolicy;
  private readonly request: FetchRequest;
  private readonly id: string;

  constructor(cache: SharedCache, policy: FetchPolicy, fetch: FetchNode, request: FetchRequest) {
    this.cache = cache;
    this.policy = policy;
    this.request = request;
    this.id = createHash('sha256').update(`${fetch.serviceName} ${fetch.operation}`).digest('base64url');
  }

  async send(execution: ExecutionContext): Promise<SubgraphAnswer> {
    const use = this.useFor(execution);
    if (!use) return this.request.send(execution);
    const digest = use.digestOf(this.id, this.request.variablesOf(execution));
    const [found] = await use.find('fetches', [digest]);
    const fetch = async (inside: ExecutionContext): Promise<SubgraphAnswer> => {
      const answer = await this.request.send(inside, use.version);
      if (isWhole(answer)) use.store(digest, JSON.stringify(answer.data));
      return answer;
    };
    if (!found) return fetch(execution);
    if (found.isStale) this.cache.refresh(digest, async () => void (await fetch(withoutClient(execution))));
    return { data: objectIn(found), hasNoEscapes: isEscapeFree(found.text) };
  }

  async sendFor(representations: string, execution: ExecutionContext): Promise<SubgraphAnswer> {
    const use = this.useFor(execution);
    if (!use) return this.request.sendFor(representations, execution);
    const entities = new CachedEntities(this.policy, use, representations, [
      this.id,
      this.request.variablesOf(execution),
    ]);
    await entities.find();
    const send = (texts: readonly string[], inside: ExecutionContext) =>
      this.request.sendFor(`[${texts.join()}]`, inside, use.version);
    for (const [digest, text] of entities.stale())
      this.cache.refresh(digest, async () => {
        entities.store(await send([text], withoutClient(execution)), [digest]);
      });
    const missing = entities.missing();
    if (missing.length === 0) return entities.answer();
    return entities.answer(await send(missing, execution));
  }

  private useFor({ request: { context, skipsFetchCache } }: ExecutionContext): CacheUse | undefined {
    return skipsFetchCache ? undefined : this.cache.use(this.policy, context);
  }
}

/** The entities of one request: those that the cache has, and those that have to be fetched. */
class CachedEntities {
  private readonly use: CacheUse;
  private readonly texts: readonly string[];
  private readonly digests: readonly string[];
  private found: readonly (FoundValue | undefined)[] = [];

  /** @param id what decides the values, besides the representations */
  constructor(policy: FetchPolicy, use: CacheUse, representations: string, id: readonly string[]) {
    this.use = use;
    const list = jsonIn(representations) as readonly JsonObject[]; // this gateway has written it
    this.texts = list.map((representation) => JSON.stringify(representation));
    this.digests = list.map((representation, at) =>
      use.digestOf(...id, decidingPart(representation, policy.by) ?? this.texts[at] ?? ''),
    );
  }

  async find(): Promise<void> {
    this.found = await this.use.find('fetches', this.digests);
  }

  /** The representations of the entities that the cache does not have. */
  missing(): string[] {
    return this.texts.filter((_text, at) => this.found[at] === undefined);
  }

  /** Digests and representations of the entities that have to be fetched again. */
  stale(): [string, string][] {
    return [...this.found.entries()].flatMap(([at, found]) =>
      found?.isStale ? [[this.digests[at] ?? '', this.texts[at] ?? ''] as [string, string]] : [],
    );
  }

  /** The answer as the service would have sent it for all representations. @param fetched the answer for the missing ones */
  answer(fetched?: SubgraphAnswer): SubgraphAnswer {
    const places = [...this.found.keys()].filter((at) => this.found[at] === undefined);
    if (fetched && places.length === this.found.length) {
      this.store(fetched, this.digests);
      return fetched;
    }
    if (fetched)
      this.store(
        fetched,
        places.map((at) => this.digests[at] ?? ''),
      );
    const inAnswer = isJsonObject(fetched?.data) ? fetched.data['_entities'] : undefined;
    const wrong = fetched !== undefined && (!Array.isArray(inAnswer) || inAnswer.length !== places.length);
    const entities = this.found.map((found): unknown => found && objectIn(found));
    for (const [index, at] of places.entries()) entities[at] = wrong ? null : (inAnswer as unknown[])[index];
    const errors = fetched?.errors?.map((error) => relocated(error, places));
    if (wrong && !errors?.length)
      throw new Error(`Expected "data._entities" to contain ${places.length} elements`);
    return {
      data: { _entities: entities },
      ...(errors && errors.length > 0 && { errors }),
      hasNoEscapes:
        (!fetched || fetched.hasNoEscapes === true) &&
        this.found.every((found) => !found || isEscapeFree(found.text)),
    };
  }

  /** @param digests those of the entities of the answer */
  store(answer: SubgraphAnswer, digests: readonly string[]): void {
    const entities = isWhole(answer) ? answer.data?.['_entities'] : undefined;
    if (!Array.isArray(entities) || entities.length !== digests.length) return;
    for (const [at, entity] of entities.entries())
      // The null of a missing entity is not stored, because the entity may appear without a change of these kinds.
      if (isJsonObject(entity)) this.use.store(digests[at] ?? '', JSON.stringify(entity));
  }
}

const isWhole = ({ data, errors }: SubgraphAnswer): boolean => isJsonObject(data) && !errors?.length;

/** A new object for each use, because the receiver merges other answers into it. */
const objectIn = ({ text }: FoundValue): JsonObject => JSON.parse(text) as JsonObject; // `SharedCache` has checked it

/** The fields that decide the answer; undefined if one of them is missing. */
function decidingPart(representation: JsonObject, by: readonly string[] | undefined): string | undefined {
  if (!by?.every((name) => name in representation)) return undefined;
  return JSON.stringify([representation['__typename'], ...by.map((name) => representation[name])]);
}

/** The error with the entity's index among all entities instead of its index among those that were fetched. */
function relocated(error: SubgraphError, places: readonly number[]): SubgraphError {
  const path: unknown = isJsonObject(error) ? error.path : undefined;
  if (!Array.isArray(path) || typeof path[1] !== 'number') return error;
  const [field, index, ...rest] = path as [unknown, number, ...unknown[]];
  return { ...error, path: [field, places[index] ?? index, ...rest] };
}

/** The context of a fetch that no client waits for. */
const withoutClient = ({ request }: ExecutionContext): ExecutionContext => {
  const { client: _client, span: _span, keyed: _keyed, ...context } = request.context;
  return new ExecutionContext({ ...request, context });
};
