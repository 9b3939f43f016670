import { isValues, type Values } from './merge.ts';
import type { Representation, RepresentationOf } from './representations.ts';

/** What a subgraph is asked about: equal entities once. */
export interface Asked {
  readonly entities: readonly unknown[];
  /** For each entity the index of its representation, -1 for none. */
  readonly indexes: readonly number[];
  /** A list, as JSON. */
  readonly representations: string;
  readonly count: number;
  /** Whether several entities share a representation. */
  readonly repeated: boolean;
}

export function askAbout(entities: readonly unknown[], representationOf: RepresentationOf): Asked {
  const list = new RepresentationList(representationOf, entities.length === 1);
  const indexes: number[] = [];
  for (const entity of entities) indexes.push(isValues(entity) ? list.indexOf(entity) : -1);
  return {
    entities,
    indexes,
    representations: `[${list.text}]`,
    count: list.count,
    repeated: list.repeated,
  };
}

class RepresentationList {
  text = '';
  count = 0;
  repeated = false;
  private readonly representationOf: RepresentationOf;
  private readonly onlyOne: boolean;
  private byIds: Map<Representation, Map<string, number>> | undefined;
  private byTexts: Map<string, number> | undefined;

  constructor(representationOf: RepresentationOf, onlyOne: boolean) {
    this.representationOf = representationOf;
    this.onlyOne = onlyOne;
  }

  /** Of its representation in the list, to which it is added if it is new. */
  indexOf(entity: Values): number {
    const representation = this.representationOf(entity);
    if (this.onlyOne) return this.add(representation.write(entity));
    const id = representation.id === undefined ? undefined : entity[representation.id];
    // A text that was put together costs more to look up than the id in it, and is not needed for one that is known.
    return typeof id === 'string'
      ? this.indexById(id, entity, representation)
      : this.indexByText(representation.write(entity));
  }

  private indexById(id: string, entity: Values, representation: Representation): number {
    this.byIds ??= new Map();
    const ids = this.byIds.get(representation) ?? new Map<string, number>();
    if (ids.size === 0) this.byIds.set(representation, ids);
    const known = ids.get(id);
    if (known !== undefined) {
      this.repeated = true;
      return known;
    }
    const index = this.add(representation.write(entity));
    ids.set(id, index);
    return index;
  }

  private indexByText(text: string | undefined): number {
    this.byTexts ??= new Map();
    const known = text === undefined ? undefined : this.byTexts.get(text);
    if (known !== undefined) {
      this.repeated = true;
      return known;
    }
    const index = this.add(text);
    if (text !== undefined) this.byTexts.set(text, index);
    return index;
  }

  private add(text: string | undefined): number {
    if (text === undefined) return -1;
    this.text += this.count === 0 ? text : `,${text}`;
    this.count += 1;
    return this.count - 1;
  }
}
