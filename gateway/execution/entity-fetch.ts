import type { SubgraphAnswer } from '../subgraphs/subgraph.ts';
import type { FetchRequest } from './fetch-request.ts';
import { isValues, merge, type Values } from './merge.ts';
import type { RepresentationWriter } from './representations.ts';
import { placesAt, valuesAt, type FlattenPath, type ResponsePath } from './response-path.ts';
import type { Rewriter } from './rewrites.ts';
import type { Run } from './run.ts';
import type { Step } from './step.ts';
import { errorsOf } from './subgraph-errors.ts';

export interface EntityFetchOptions {
  readonly serviceName: string;
  readonly path: FlattenPath;
  readonly represent: RepresentationWriter;
  readonly rewrite: Rewriter | undefined;
  readonly request: FetchRequest;
}

/** The entities of a fetch, and what is asked about them: equal ones are asked about once. */
interface Asked {
  readonly entities: readonly unknown[];
  /** For each entity the index of its representation, -1 for none. */
  readonly indexes: readonly number[];
  /** JSON texts. */
  readonly representations: readonly string[];
  /** Whether several entities share a representation. */
  readonly repeated: boolean;
}

/** A fetch of further fields of entities that are in the response already. */
export class EntityFetch implements Step {
  private readonly options: EntityFetchOptions;

  constructor(options: EntityFetchOptions) {
    this.options = options;
  }

  async run(run: Run): Promise<void> {
    try {
      const asked = this.ask(run.data);
      const { representations } = asked;
      if (representations.length === 0) return;
      this.take(await this.options.request.sendFor(`[${representations.join(',')}]`, run), asked, run);
    } catch (error) {
      run.fail(error);
    }
  }

  private ask(data: Values): Asked {
    const { path, represent } = this.options;
    const entities = valuesAt(data, path);
    const indexes: number[] = [];
    const representations: string[] = [];
    const known = entities.length > 1 ? new Map<string, number>() : undefined;
    let repeated = false;
    for (const entity of entities) {
      const representation = isValues(entity) ? represent(entity) : undefined;
      if (representation === undefined) {
        indexes.push(-1);
        continue;
      }
      const equal = known?.get(representation);
      if (equal === undefined) {
        known?.set(representation, representations.length);
        indexes.push(representations.length);
        representations.push(representation);
      } else {
        indexes.push(equal);
        repeated = true;
      }
    }
    return { entities, indexes, representations, repeated };
  }

  private take({ data, errors }: SubgraphAnswer, asked: Asked, run: Run): void {
    const { serviceName, path, rewrite } = this.options;
    if (errors) {
      let places: readonly ResponsePath[] | undefined;
      run.errors.push(
        ...errorsOf(errors, serviceName, (inAnswer) => {
          places ??= placesAt(run.data, path);
          return placesOf(inAnswer, { path, places, asked });
        }),
      );
    }
    if (!isValues(data)) return;
    const found = foundIn(data, asked.representations.length);
    if (rewrite) rewriteFound(found, asked, rewrite);
    if (asked.repeated) share(found, run);
    const { entities, indexes } = asked;
    for (let at = 0; at < entities.length; at += 1) {
      const fields = found[indexes[at] as number]; // -1 finds nothing
      const entity = entities[at] as Values;
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
  run.shared ??= new Set();
  for (const fields of found) {
    if (!isValues(fields)) continue;
    for (const key in fields) {
      const value = fields[key];
      if (typeof value === 'object' && value !== null) run.shared.add(value);
    }
  }
}

/** `_entities.<index>...` means the entities that this representation was asked for. */
function placesOf(
  inAnswer: ResponsePath,
  { path, places, asked }: { path: FlattenPath; places: readonly ResponsePath[]; asked: Asked },
): readonly ResponsePath[] {
  const [, index, ...rest] = inAnswer;
  if (typeof index !== 'number') return [[...path, ...inAnswer]];
  const found = asked.indexes.flatMap((own, at) => (own === index ? [[...(places[at] ?? []), ...rest]] : []));
  return found.length ? found : [rest];
}
