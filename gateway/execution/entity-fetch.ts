import type { SubgraphAnswer } from '../subgraphs/subgraph.ts';
import type { FetchRequest } from './fetch-request.ts';
import { isValues, merge, type Values } from './merge.ts';
import { askAbout, type Asked } from './asked.ts';
import type { RepresentationOf } from './representations.ts';
import { placesAt, valuesAt, type FlattenPath, type ResponsePath } from './response-path.ts';
import type { Rewriter } from './rewrites.ts';
import type { Run } from './run.ts';
import type { Step } from './step.ts';
import { sentInParts } from './split-fetch.ts';
import { errorsOf } from './subgraph-errors.ts';

export interface EntityFetchOptions {
  readonly serviceName: string;
  readonly path: FlattenPath;
  readonly representationOf: RepresentationOf;
  readonly rewrite: Rewriter | undefined;
  readonly request: FetchRequest;
}

/** A fetch of further fields of entities that are in the response already. */
export class EntityFetch implements Step {
  private readonly options: EntityFetchOptions;

  constructor(options: EntityFetchOptions) {
    this.options = options;
  }

  async run(run: Run): Promise<void> {
    try {
      const { path, representationOf, request } = this.options;
      const asked = askAbout(valuesAt(run.data, path, run.shared), representationOf, run.isPlain);
      const [only, ...more] = asked.representations;
      if (only === undefined) return;
      const send = (representations: string) => request.sendFor(representations, run);
      const answer = more.length === 0 ? await send(only) : await sentInParts(asked, send, run);
      this.take(answer, asked, run);
    } catch (error) {
      run.fail(error);
    }
  }

  private take({ data, errors, isPlain }: SubgraphAnswer, asked: Asked, run: Run): void {
    const { serviceName, path, rewrite } = this.options;
    if (!isPlain) run.isPlain = false;
    if (errors) {
      let places: ReadonlyMap<number, readonly ResponsePath[]> | undefined;
      const told = errorsOf(errors, serviceName, (inAnswer) => {
        const [, index, ...rest] = inAnswer;
        if (typeof index !== 'number') return [[...path, ...inAnswer]];
        places ??= placesByIndex(run.data, path, asked);
        return (places.get(index) ?? [[]]).map((place) => [...place, ...rest]);
      });
      for (const error of told) run.errors.push(error);
    }
    if (!isValues(data)) return;
    const found = foundIn(data, asked.count);
    if (rewrite) rewriteFound(found, asked, rewrite);
    if (asked.repeated) share(found, run);
    const { entities, indexes } = asked;
    for (let at = 0; at < entities.length; at += 1) {
      const fields = found[indexes[at] as number]; // -1 finds nothing
      const entity = entities[at] as Values;
      if (fields === null) (run.gone ??= new Set()).add(entity);
      if (!isValues(fields)) continue;
      // What a subgraph was told, it need not give back; null would make an object of no type.
      if (fields['__typename'] === null) fields['__typename'] = entity['__typename'];
      merge(entity, fields);
    }
  }
}

/** Rewrites go by type names, which a subgraph need not give for what it was told. */
function rewriteFound(found: readonly unknown[], { entities, indexes }: Asked, rewrite: Rewriter): void {
  for (const [index, fields] of found.entries()) {
    if (!isValues(fields)) continue;
    const entity = entities[indexes.indexOf(index)];
    if (!fields['__typename'] && isValues(entity)) fields['__typename'] = entity['__typename'];
    rewrite(fields);
  }
}

function foundIn(data: Values, count: number): readonly unknown[] {
  const { _entities: found } = data;
  if (!Array.isArray(found)) throw new Error('Expected "data._entities" in response to be an array');
  if (found.length !== count) throw new Error(`Expected "data._entities" to contain ${count} elements`);
  return found;
}

/** Objects that get into the response at several places are written once. */
function share(found: readonly unknown[], run: Run): void {
  run.shared ??= new Map();
  for (const fields of found) {
    if (!isValues(fields)) continue;
    for (const key in fields) {
      const value = fields[key];
      if (typeof value === 'object' && value !== null) run.shared.set(value, { shape: undefined, text: '' });
    }
  }
}

/** Where the entities stand that each representation was asked for, as `_entities.<index>` of an error means all of them. */
function placesByIndex(
  data: Values,
  path: FlattenPath,
  { entities, indexes }: Asked,
): ReadonlyMap<number, readonly ResponsePath[]> {
  const indexOf = new Map(entities.map((entity, at) => [entity, indexes[at]]));
  const places = new Map<number, ResponsePath[]>();
  for (const { place, value } of placesAt(data, path)) {
    const index = indexOf.get(value) ?? -1;
    const known = places.get(index);
    if (known) known.push(place);
    else places.set(index, [place]);
  }
  return places;
}
