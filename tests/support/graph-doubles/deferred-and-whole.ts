import { isDeepStrictEqual } from 'node:util';
import {
  getOperationAST,
  GraphQLError,
  NoUnusedVariablesRule,
  parse,
  validate,
  type ExecutionResult,
  type GraphQLFormattedError,
} from 'graphql';
import { AppliedDirectives } from '#server/graphql/applied-directives.ts';
import { Requirements } from '../../../gateway/authorization/requirements.ts';
import { ResponseCache } from '../../../gateway/cache/response-cache.ts';
import { PendingWrites } from '../../../gateway/writes/pending-writes.ts';
import type { GatewayContext } from '../../../gateway/context/gateway-context.ts';
import { OPERATION_RULES } from '../../../gateway/defer/defer-rules.ts';
import { incrementalResult, type IncrementalForm } from '../../../gateway/defer/incremental-result.ts';
import { PreparedOperation } from '../../../gateway/operations/prepared-operation.ts';
import type { LoadedGraph } from '../../../gateway/supergraph/loaded-graph.ts';
import { mergedParts, type Merged, type PartsMessage } from '../parts.ts';
import { composed, graphOf, type SubgraphSdls } from './composed-graph.ts';
import { MadeUpSubgraph, type Scenario } from './made-up-subgraph.ts';

/** Operations whose conditions were removed may have variables that are not used. */
const RULES = OPERATION_RULES.filter((rule) => rule !== NoUnusedVariablesRule);

interface Outcome {
  /** The first difference; undefined if there is none. */
  readonly difference: string | undefined;
  readonly parts: number;
  readonly nulls: number;
}

interface Prepared {
  readonly operation: PreparedOperation;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly rawVariables: Record<string, unknown>;
}

/** A graph over made-up subgraphs, which executes operations with @defer in parts and as a whole. */
export class DeferredAndWhole {
  readonly loaded: LoadedGraph;
  private readonly scenarios = new Map<string, Scenario>();
  private readonly options: ConstructorParameters<typeof PreparedOperation>[3];

  constructor(sdls: SubgraphSdls) {
    const sdl = composed(sdls);
    this.loaded = graphOf(
      sdl,
      Object.entries(sdls).map(([name, own]) => new MadeUpSubgraph(name, own, this.scenarios)),
    );
    const directives = new AppliedDirectives(sdl);
    this.options = {
      graph: this.loaded,
      directives,
      requirements: new Requirements(directives),
      responses: new ResponseCache(new PendingWrites(({ service }) => service)),
      costLimit: Infinity,
      anonymousCostLimit: Infinity,
      anonymousLimits: { characters: 0 } as never, // nobody is anonymous here
      assumedListSize: 3,
      maxListSize: 3,
      formatError: (error) => error.toJSON(),
    };
  }

  /** Undefined if the operation is invalid, or refused. */
  prepare(query: string, rawVariables: Record<string, unknown>): Prepared | undefined {
    const document = parse(query, { noLocation: true });
    const found = getOperationAST(document);
    if (!found || validate(this.loaded.apiSchema, document, RULES).length > 0) return undefined;
    const operation = new PreparedOperation(query, document, found, this.options);
    const admitted = operation.admit(rawVariables, 'anybody');
    return 'errors' in admitted ? undefined : { operation, variables: admitted.coerced, rawVariables };
  }

  /** Undefined if the operation can only be executed as a whole. */
  async compare(prepared: Prepared, scenario: Scenario): Promise<Outcome | undefined> {
    this.scenarios.set(scenario.seed, scenario);
    const messages = await this.inParts(prepared, scenario, 'v0.2');
    if (!messages) return undefined;
    const older = await this.inParts(prepared, scenario, '2022');
    const whole = asJson(await prepared.operation.toResult(this.request(prepared, scenario)));
    this.scenarios.delete(scenario.seed);
    const merged = mergedParts(messages);
    const parts = messages.reduce((total, { completed = [] }) => total + completed.length, 0);
    const difference =
      differenceBetween(whole, merged) ?? differenceOfForms(merged, mergedParts(older ?? []));
    return { difference, parts, nulls: merged.nulls.length };
  }

  private async inParts(
    prepared: Prepared,
    scenario: Scenario,
    form: IncrementalForm,
  ): Promise<PartsMessage[] | undefined> {
    const run = prepared.operation.inParts(this.request(prepared, scenario));
    if (!run) return undefined;
    const messages: PartsMessage[] = [];
    for await (const delivery of run)
      messages.push(asJson(incrementalResult(delivery, form, (error) => error.toJSON())) as PartsMessage);
    return messages;
  }

  private request({ variables, rawVariables }: Prepared, { seed }: Scenario) {
    const viewer = { kind: 'service' } as const;
    // The execution reads nothing else of the context: the made-up subgraphs need no rights.
    return { variables, rawVariables, context: { requestId: seed, viewer } as unknown as GatewayContext };
  }
}

const asJson = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

function differenceOfForms(one: Merged, other: Merged): string | undefined {
  const summaryOf = ({ nulls, data, errors = [] }: Merged) => ({
    nulls: nulls.length,
    data: data as unknown,
    errors: errors.length,
  });
  return isDeepStrictEqual(summaryOf(one), summaryOf(other))
    ? undefined
    : `the forms differ: ${shown(one)}\n${shown(other)}`;
}

/**
 * Compares the merged parts with the whole result. They are equal, with two exceptions. A null which is propagated inside a
 * part ends at this part: in the whole result the null is propagated further up. And if a field fails that was not selected,
 * but that another field requires, the whole result lacks all fields of the same fetch; the parts may have them by a fetch of
 * their own.
 */
function differenceBetween(whole: ExecutionResult, merged: Merged): string | undefined {
  const nulls = new Set(merged.nulls.map((path) => path.join('.')));
  const isAtNull = (path: string): boolean => nulls.has(path);
  const isAboveNull = (path: string): boolean =>
    [...nulls].some((one) => path === '' || one === path || one.startsWith(`${path}.`));
  const failedForOthers = new Set(
    (whole.errors ?? []).flatMap(({ path = [] }) =>
      isSelected(merged.data, path) ? [] : [path.slice(0, -1).join('.')],
    ),
  );
  const isAtFailure = (path: string): boolean =>
    [...failedForOthers].some(
      (one) => one === path || one.startsWith(`${path}.`) || one === path.slice(0, path.lastIndexOf('.')),
    );
  const compare = (a: unknown, b: unknown, path: string): string | undefined => {
    if (isDeepStrictEqual(a, b)) return undefined;
    if (a === null && (isAboveNull(path) || isAtFailure(path))) return undefined;
    if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null)
      return `at "${path}": ${shown(b)} instead of ${shown(a)}`;
    if (Array.isArray(a) !== Array.isArray(b) || (Array.isArray(a) && a.length !== (b as unknown[]).length))
      return `at "${path}": ${shown(b)} instead of ${shown(a)}`;
    const inside = (key: string) => (path === '' ? key : `${path}.${key}`);
    for (const [key, value] of Object.entries(a)) {
      if (!(key in b) && isAtNull(path)) continue;
      const difference = compare(value, (b as Record<string, unknown>)[key], inside(key));
      if (difference) return difference;
    }
    for (const key of Object.keys(b)) if (!(key in a)) return `at "${inside(key)}": unexpected`;
    return undefined;
  };
  return compare(whole.data ?? null, merged.data, '') ?? differenceOfErrors(whole, merged);
}

/**
 * Compares the errors, unless a part became null. A part may fetch again what the primary part has fetched, so one error may
 * occur twice. Parts fetch nothing below a null, so the errors there may be missing; but either both results have errors, or
 * neither of them.
 */
function differenceOfErrors(
  { errors = [] }: ExecutionResult,
  { errors: found = [], nulls, data }: Merged,
): string | undefined {
  if (nulls.length > 0) return undefined;
  // Extensions are not compared: two services may have the same field, and the plan decides which of them is asked.
  const textOf = ({ message, path }: GraphQLFormattedError): string => shown({ message, path });
  const texts = new Set(found.map(textOf));
  const missing = errors.filter((error) => !texts.has(textOf(error)) && !isBelowNull(data, error.path));
  if (missing.length > 0) return `missing errors ${shown(missing)} in ${shown(found)}`;
  if (errors.length > 0 !== found.length > 0) return `errors ${shown(found)} instead of ${shown(errors)}`;
  return undefined;
}

/** Whether a result has the field at a path, or a null above it. */
function isSelected(data: unknown, path: readonly (string | number)[]): boolean {
  let value = data;
  for (const key of path) {
    if (value === null || value === undefined) return true;
    if (!Object.hasOwn(value, key)) return false;
    value = (value as Record<string | number, unknown>)[key];
  }
  return true;
}

function isBelowNull(data: unknown, path: readonly (string | number)[] = []): boolean {
  let value = data;
  for (const key of path.slice(0, -1)) value = (value as Record<string | number, unknown> | null)?.[key];
  return value === null || value === undefined;
}

const shown = (value: unknown): string =>
  JSON.stringify(value instanceof GraphQLError ? value.toJSON() : value) ?? 'undefined';
