import { ANONYMOUS_MAX_REPRESENTATIONS } from '#server/graphql/cost.ts';
import { isJsonObject } from '#server/json-object.ts';
import type { ExecutionContext } from '../execution/execution-context.ts';
import type { PlanStep } from '../execution/plan-step.ts';
import type { SubgraphAnswer, SubgraphError } from '../subgraphs/subgraph.ts';
import type { EntityBatch } from './entity-batch.ts';
import type { EntityFetch } from './entity-fetch.ts';
import type { FetchRequest } from './fetch-request.ts';

/** If the batches have more entities together, each is sent alone: a request costs little then, compared with its entities. */
const MAX_REPRESENTATIONS = ANONYMOUS_MAX_REPRESENTATIONS;

/** If the service has refused this number of merged requests of a step, the step sends its fetches separately from then on. */
const MAX_REFUSALS = 3;

interface MergedEntityFetchOptions {
  readonly serviceName: string;
  readonly parts: readonly MergedPart[];
  /** The request for all parts. */
  readonly request: FetchRequest;
}

interface MergedPart {
  readonly fetch: EntityFetch;
  /** Of its own `_entities` in the merged request. */
  readonly alias: string;
  /** Name of the variable with its representations. */
  readonly variable: string;
}

interface AskedPart extends MergedPart {
  /** Undefined if there is nothing to fetch for it. */
  readonly batch: EntityBatch | undefined;
}

/**
 * Several fetches of entities from one subgraph in one request, with an alias for each (`_entities`). The text of this request
 * always contains all of them, and if only one has entities, it is sent alone: so a service gets one text for each fetch and
 * one for all, but none for other combinations.
 */
export class MergedEntityFetch implements PlanStep {
  private readonly options: MergedEntityFetchOptions;
  private refusals = 0;

  constructor(options: MergedEntityFetchOptions) {
    this.options = options;
  }

  async run(execution: ExecutionContext): Promise<void> {
    const parts = this.options.parts.map((part) => ({ ...part, batch: part.fetch.batch(execution) }));
    if (this.refusals >= MAX_REFUSALS || !areMergeable(parts)) return fetchEach(parts, execution);
    let answer: SubgraphAnswer;
    try {
      answer = await this.send(parts, execution);
    } catch (error) {
      for (const { batch } of parts) if (batch) execution.failFetch(this.options.serviceName, error);
      return;
    }
    if (isComplete(answer, parts)) return receiveEach(answer, parts, execution);
    // The service refused one part, or cannot answer all together. Sent alone, each fetch fails for its own reason only.
    this.refusals += 1;
    await fetchEach(parts, execution);
  }

  private send(parts: readonly AskedPart[], execution: ExecutionContext): Promise<SubgraphAnswer> {
    const lists = parts.map(({ variable, batch }) => `"${variable}":${batch?.representations[0] ?? '[]'}`);
    return this.options.request.sendWith(lists.join(','), execution);
  }
}

function areMergeable(parts: readonly AskedPart[]): boolean {
  let asked = 0;
  let count = 0;
  for (const { batch } of parts)
    if (batch) {
      asked += 1;
      count += batch.count;
    }
  return asked > 1 && count <= MAX_REPRESENTATIONS;
}

async function fetchEach(parts: readonly AskedPart[], execution: ExecutionContext): Promise<void> {
  const running = parts.map(({ fetch, batch }) => batch && fetch.fetch(batch, execution));
  for (const one of running) await one; // none rejects
}

const isComplete = ({ data }: SubgraphAnswer, parts: readonly AskedPart[]): boolean =>
  isJsonObject(data) && parts.every(({ alias, batch }) => !batch || Array.isArray(data[alias]));

function receiveEach(
  { data, errors = [], hasNoEscapes = false }: SubgraphAnswer,
  parts: readonly AskedPart[],
  execution: ExecutionContext,
): void {
  let others = errors.filter((error) => !parts.some(({ alias }) => isOf(error, alias)));
  for (const { fetch, alias, batch } of parts) {
    if (!batch) continue;
    const own = [...others, ...errors.filter((error) => isOf(error, alias)).map(withoutAlias)];
    others = []; // an error that belongs to no part is reported once
    fetch.receive(
      { data: { _entities: data?.[alias] }, hasNoEscapes, ...(own.length > 0 && { errors: own }) },
      batch,
      execution,
    );
  }
}

const isOf = (error: SubgraphError, alias: string): boolean =>
  isJsonObject(error) && Array.isArray(error.path) && error.path[0] === alias;

function withoutAlias(error: SubgraphError): SubgraphError {
  const [, ...rest] = error.path as readonly unknown[];
  return { ...error, path: ['_entities', ...rest] };
}
