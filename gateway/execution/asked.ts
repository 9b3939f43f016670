import { MAX_REPRESENTATIONS } from '#server/graphql/cost.ts';
import { isValues, type Values } from './merge.ts';
import type { Representation, RepresentationOf } from './representations.ts';

/** What a subgraph is asked about: equal entities once. */
export interface Asked {
  readonly entities: readonly unknown[];
  /** For each entity the index of its representation, -1 for none. */
  readonly indexes: readonly number[];
  /** Lists, as JSON: as many as it takes for none to be longer than a subgraph takes at once. */
  readonly representations: readonly string[];
  readonly count: number;
  /** Whether several entities share a representation. */
  readonly repeated: boolean;
}

/** @param isPlain whether no string in the entities holds anything that JSON escapes */
export function askAbout(
  entities: readonly unknown[],
  representationOf: RepresentationOf,
  isPlain: boolean,
): Asked {
  const list = new RepresentationList(representationOf, isPlain, entities.length === 1);
  const indexes: number[] = [];
  for (const entity of entities) indexes.push(isValues(entity) ? list.indexOf(entity) : -1);
  return {
    entities,
    indexes,
    representations: list.texts.map((text) => `[${text}]`),
    count: list.count,
    repeated: list.repeated,
  };
}

class RepresentationList {
  /** Without their brackets. */
  readonly texts: string[] = [];
  count = 0;
  repeated = false;
  private readonly representationOf: RepresentationOf;
  private readonly isPlain: boolean;
  private readonly onlyOne: boolean;
  /** The first entity of each representation. */
  private readonly firsts: Values[] = [];
  private readonly byIds = new Map<Representation, Map<string, number>>();
  /** Of the entity before. */
  private typename: unknown;
  private latest: Representation | undefined;
  private ids: Map<string, number> | undefined;
  private byTexts: Map<string, number> | undefined;

  constructor(representationOf: RepresentationOf, isPlain: boolean, onlyOne: boolean) {
    this.representationOf = representationOf;
    this.isPlain = isPlain;
    this.onlyOne = onlyOne;
  }

  /** Of its representation in the list, to which it is added if it is new. */
  indexOf(entity: Values): number {
    const representation = this.representationFor(entity['__typename']);
    if (this.onlyOne) return this.add(entity, representation.write(entity, this.isPlain));
    const id = representation.id === undefined ? undefined : entity[representation.id];
    // A text that was put together costs more to look up than the id in it, and is not needed for one that is known.
    return typeof id === 'string'
      ? this.indexById(id, entity, representation)
      : this.indexByText(entity, representation);
  }

  /** Most lists are of one type. */
  private representationFor(typename: unknown): Representation {
    if (this.latest && typename === this.typename) return this.latest;
    const representation = this.representationOf(typename);
    this.typename = typename;
    this.latest = representation;
    this.ids = this.byIds.get(representation);
    return representation;
  }

  private indexById(id: string, entity: Values, representation: Representation): number {
    const ids = (this.ids ??= this.addIds(representation));
    const known = ids.get(id);
    if (known === undefined) {
      const index = this.add(entity, representation.write(entity, this.isPlain));
      if (index !== -1) ids.set(id, index);
      return index;
    }
    const first = this.firsts[known];
    if (!first || !representation.isSame(entity, first)) return this.indexByText(entity, representation);
    this.repeated = true;
    return known;
  }

  private indexByText(entity: Values, representation: Representation): number {
    const text = representation.write(entity, this.isPlain);
    this.byTexts ??= new Map();
    const known = text === undefined ? undefined : this.byTexts.get(text);
    if (known !== undefined) {
      this.repeated = true;
      return known;
    }
    const index = this.add(entity, text);
    if (text !== undefined) this.byTexts.set(text, index);
    return index;
  }

  private addIds(representation: Representation): Map<string, number> {
    const ids = new Map<string, number>();
    this.byIds.set(representation, ids);
    return ids;
  }

  private add(entity: Values, text: string | undefined): number {
    if (text === undefined) return -1;
    const last = this.texts.length - 1;
    if (this.count % MAX_REPRESENTATIONS === 0) this.texts.push(text);
    else this.texts[last] = `${this.texts[last]},${text}`;
    this.firsts.push(entity);
    this.count += 1;
    return this.count - 1;
  }
}
