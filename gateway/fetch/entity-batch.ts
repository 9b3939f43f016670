import { MAX_REPRESENTATIONS } from '#server/graphql/cost.ts';
import { isJsonObject, type JsonObject } from '#server/json-object.ts';
import type { RepresentationWriter, WriterOf } from './representations.ts';

/** The entities of one fetch, each distinct representation once. */
export interface EntityBatch {
  readonly entities: readonly unknown[];
  /** For each entity the index of its representation, -1 for none. */
  readonly indexes: readonly number[];
  /** JSON lists of at most `MAX_REPRESENTATIONS` representations each. */
  readonly representations: readonly string[];
  /** The number of distinct representations. */
  readonly count: number;
  /** Whether several entities share a representation. */
  readonly hasRepeats: boolean;
}

/** @param hasNoEscapes whether no string in the entities contains a character that JSON escapes */
export function batchEntities(
  entities: readonly unknown[],
  writerOf: WriterOf,
  hasNoEscapes: boolean,
): EntityBatch {
  const list = new RepresentationList(writerOf, hasNoEscapes, entities.length === 1);
  const indexes: number[] = [];
  for (const entity of entities) indexes.push(isJsonObject(entity) ? list.indexFor(entity) : -1);
  return {
    entities,
    indexes,
    representations: list.texts.map((text) => `[${text}]`),
    count: list.count,
    hasRepeats: list.hasRepeats,
  };
}

class RepresentationList {
  /** JSON lists without their brackets. */
  readonly texts: string[] = [];
  count = 0;
  hasRepeats = false;
  private readonly writerOf: WriterOf;
  private readonly hasNoEscapes: boolean;
  private readonly onlyOne: boolean;
  /** The first entity of each representation. */
  private readonly firsts: JsonObject[] = [];
  private readonly byIds = new Map<RepresentationWriter, Map<string, number>>();
  /** The type name of the previous entity, and the writer and ids of this type. */
  private typename: unknown;
  private latest: RepresentationWriter | undefined;
  private ids: Map<string, number> | undefined;
  private byTexts: Map<string, number> | undefined;

  constructor(writerOf: WriterOf, hasNoEscapes: boolean, onlyOne: boolean) {
    this.writerOf = writerOf;
    this.hasNoEscapes = hasNoEscapes;
    this.onlyOne = onlyOne;
  }

  /** Adds the entity's representation if it is new. @returns its index, -1 if the entity has none */
  indexFor(entity: JsonObject): number {
    const writer = this.writerFor(entity['__typename']);
    if (this.onlyOne) return this.add(entity, writer.write(entity, this.hasNoEscapes));
    const id = writer.idField === undefined ? undefined : entity[writer.idField];
    // An id is cheaper to look up than the whole text, which does not have to be written if the id is known.
    return typeof id === 'string' ? this.indexById(id, entity, writer) : this.indexByText(entity, writer);
  }

  /** Remembers the last writer, because the entities of most lists have one type. */
  private writerFor(typename: unknown): RepresentationWriter {
    if (this.latest && typename === this.typename) return this.latest;
    const writer = this.writerOf(typename);
    this.typename = typename;
    this.latest = writer;
    this.ids = this.byIds.get(writer);
    return writer;
  }

  private indexById(id: string, entity: JsonObject, writer: RepresentationWriter): number {
    const ids = (this.ids ??= this.addIds(writer));
    const known = ids.get(id);
    if (known === undefined) {
      const index = this.add(entity, writer.write(entity, this.hasNoEscapes));
      if (index !== -1) ids.set(id, index);
      return index;
    }
    const first = this.firsts[known];
    if (!first || !writer.isSame(entity, first)) return this.indexByText(entity, writer);
    this.hasRepeats = true;
    return known;
  }

  private indexByText(entity: JsonObject, writer: RepresentationWriter): number {
    const text = writer.write(entity, this.hasNoEscapes);
    this.byTexts ??= new Map();
    const known = text === undefined ? undefined : this.byTexts.get(text);
    if (known !== undefined) {
      this.hasRepeats = true;
      return known;
    }
    const index = this.add(entity, text);
    if (text !== undefined) this.byTexts.set(text, index);
    return index;
  }

  private addIds(writer: RepresentationWriter): Map<string, number> {
    const ids = new Map<string, number>();
    this.byIds.set(writer, ids);
    return ids;
  }

  private add(entity: JsonObject, text: string | undefined): number {
    if (text === undefined) return -1;
    const last = this.texts.length - 1;
    if (this.count % MAX_REPRESENTATIONS === 0) this.texts.push(text);
    else this.texts[last] = `${this.texts[last]},${text}`;
    this.firsts.push(entity);
    this.count += 1;
    return this.count - 1;
  }
}
