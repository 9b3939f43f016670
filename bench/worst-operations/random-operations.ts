import {
  getNamedType,
  isAbstractType,
  isCompositeType,
  isInterfaceType,
  isObjectType,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLSchema,
} from 'graphql';
import { argumentText, representationVariables } from './argument-values.ts';
import type { Chance } from './chance.ts';
import type { ServiceName } from '#server/settings.ts';
import type { Operation } from './measured-platform.ts';

/** A graph to which operations can be sent: the gateway's, or that of one service. */
export interface TargetGraph {
  readonly schema: GraphQLSchema;
  /** Undefined for the gateway's graph. */
  readonly service: ServiceName | undefined;
}

/** A field, or an inline fragment on `name`. */
interface Selection {
  kind: 'field' | 'on';
  name: string;
  args: string;
  hasAlias: boolean;
  /** The number of inline fragments with `@include` around it, one inside the other, each with a variable of its own. */
  conditions: number;
  /** Whether its selections are written as a named fragment. */
  isSpread: boolean;
  /** The type of its selections; undefined for a leaf. */
  type: string | undefined;
  selections: Selection[];
}

export interface RandomOperation {
  readonly graph: TargetGraph;
  readonly root: Selection;
  /** An operation and all changes of it have the same number. */
  readonly lineage: number;
}

/** The mutations that random operations contain: they change nothing that later operations need. */
const MUTATIONS = new Set(['login', 'analyzeFood', 'requestPasswordReset']);
const MAX_DEPTH = 10;

/** Makes random operations, and random changes of operations. */
export class RandomOperations {
  private readonly graphs: readonly TargetGraph[];
  private readonly chance: Chance;
  private lineages = 0;

  /** @param graphs the gateway's first, which is chosen more often */
  constructor(graphs: readonly TargetGraph[], chance: Chance) {
    this.graphs = graphs;
    this.chance = chance;
  }

  create(): RandomOperation {
    const { chance } = this;
    const graph = chance.isHit(0.6) ? this.graphs[0]! : chance.oneOf(this.graphs);
    const isMutation = chance.isHit(0.05) && graph.schema.getMutationType()?.getFields().login;
    const root: Selection = { ...leaf('root'), type: isMutation ? 'Mutation' : 'Query' };
    for (let count = 1 + chance.below(4); count > 0; count -= 1) this.grow(graph, root, 0);
    if (root.selections.length === 0) root.selections.push(leaf('__typename'));
    return { graph, root, lineage: (this.lineages += 1) };
  }

  /** Returns a copy with one to six random changes. */
  change({ graph, root: before, lineage }: RandomOperation): RandomOperation {
    const root = structuredClone(before);
    for (let count = 1 + this.chance.below(6); count > 0; count -= 1) this.changeOnce(graph, root);
    return { graph, root, lineage };
  }

  private changeOnce(graph: TargetGraph, root: Selection): void {
    const { chance } = this;
    const all = [...descendants(root)];
    const parents = [root, ...all.filter(({ type }) => type !== undefined)];
    const parent = chance.oneOf(parents);
    const one = parent.selections.length > 0 ? chance.oneOf(parent.selections) : undefined;
    const changes: (() => void)[] = [
      () => this.grow(graph, parent, 2),
      () => this.grow(graph, parent, 5),
      () => {
        if (!one) return;
        for (let copies = chance.oneOf([1, 2, 5, 10, 20, 50]); copies > 0; copies -= 1)
          parent.selections.push({
            ...structuredClone(one),
            hasAlias: one.kind === 'field' && chance.isHit(0.5),
          });
      },
      () => {
        if (one && parent.selections.length > 1) parent.selections.splice(parent.selections.indexOf(one), 1);
      },
      () => {
        if (one) one.conditions = chance.oneOf([0, 1, 2, 5, 10]);
      },
      () => {
        parent.isSpread = parent !== root && !parent.isSpread;
      },
      () => {
        const field = one && fieldOf(graph.schema, parent, one.name);
        if (one && field) one.args = argumentText(field.args, chance);
      },
      () => {
        // Adds the selections of a random parent of the same type, which may be this parent itself.
        const others = parents.filter(({ type }) => type === parent.type);
        parent.selections.push(...structuredClone(chance.oneOf(others).selections));
      },
    ];
    chance.oneOf(changes)();
  }

  /**
   * Adds a random selection with selections of its own. The counting of levels begins at `depth` and ends at `MAX_DEPTH`. `depth`
   * need not be the depth of the parent, so changes can make an operation deeper than `MAX_DEPTH`.
   */
  private grow(graph: TargetGraph, parent: Selection, depth: number): void {
    const { chance } = this;
    const type = parent.type === undefined ? undefined : graph.schema.getType(parent.type);
    if (!isCompositeType(type) || depth > MAX_DEPTH) return;
    const selection = isAbstractType(type) ? this.fragmentOn(graph, type) : this.fieldIn(type);
    if (!selection) return;
    if (selection.type !== undefined) {
      for (let count = 1 + chance.below(4); count > 0; count -= 1) this.grow(graph, selection, depth + 1);
      if (selection.selections.length === 0) selection.selections.push(leaf('__typename'));
    }
    parent.selections.push(selection);
  }

  private fragmentOn({ schema }: TargetGraph, type: GraphQLCompositeType): Selection | undefined {
    if (!isAbstractType(type)) return undefined;
    const { name } = this.chance.oneOf(schema.getPossibleTypes(type));
    return { ...leaf(name), kind: 'on', type: name };
  }

  private fieldIn(type: GraphQLCompositeType): Selection | undefined {
    const fields = 'getFields' in type ? Object.values(type.getFields()) : [];
    const allowed = type.name === 'Mutation' ? fields.filter(({ name }) => MUTATIONS.has(name)) : fields;
    // Objects are rarer than leaves, and cost more.
    const objects = allowed.filter((field) => isCompositeType(getNamedType(field.type)));
    const field = this.chance.oneOf(objects.length > 0 && this.chance.isHit(0.6) ? objects : allowed);
    return {
      ...leaf(field.name),
      args: argumentText(field.args, this.chance),
      hasAlias: this.chance.isHit(0.2),
      isSpread: this.chance.isHit(0.2),
      conditions: this.chance.isHit(0.1) ? 1 : 0,
      type: typeBelow(field),
    };
  }
}

const leaf = (name: string): Selection => ({
  kind: 'field',
  name,
  args: '',
  hasAlias: false,
  conditions: 0,
  isSpread: false,
  type: undefined,
  selections: [],
});

function typeBelow(field: GraphQLField<unknown, unknown>): string | undefined {
  const type = getNamedType(field.type);
  return isCompositeType(type) ? type.name : undefined;
}

function fieldOf(
  schema: GraphQLSchema,
  parent: Selection,
  name: string,
): GraphQLField<unknown, unknown> | undefined {
  const type = parent.type === undefined ? undefined : schema.getType(parent.type);
  return isObjectType(type) || isInterfaceType(type) ? type.getFields()[name] : undefined;
}

function* descendants(selection: Selection): Generator<Selection> {
  for (const below of selection.selections) {
    yield below;
    yield* descendants(below);
  }
}

/** The operation as it is sent. `mark` becomes its name, so that no server has cached it. */
export function operationOf({ graph, root }: RandomOperation, mark: string): Operation {
  const printer = new Printer();
  const body = printer.selections(root);
  const fragments = printer.fragments.join(' ');
  const lists = representationVariables(`${body}${fragments}`);
  const conditions = Array.from({ length: printer.conditions }, (_, i) => `$v${i}: Boolean = true`);
  const definitions = [...lists.definitions, ...conditions];
  const kind = root.type === 'Mutation' ? 'mutation' : 'query';
  return {
    query: `${kind} ${mark}${definitions.length > 0 ? `(${definitions.join(' ')})` : ''} ${body} ${fragments}`,
    variables: lists.values,
    service: graph.service,
  };
}

class Printer {
  readonly fragments: string[] = [];
  conditions = 0;
  private aliases = 0;
  private spreads = 0;

  selections({ selections, isSpread, type }: Selection): string {
    const text = `{ ${selections.map((selection) => this.selection(selection)).join(' ')} }`;
    if (!isSpread || type === undefined) return text;
    const name = `F${(this.spreads += 1)}`;
    this.fragments.push(`fragment ${name} on ${type} ${text}`);
    return `{ ...${name} }`;
  }

  private selection(selection: Selection): string {
    const { kind, name, args, hasAlias, conditions, type } = selection;
    const below = type === undefined ? '' : ` ${this.selections(selection)}`;
    const alias = hasAlias && kind === 'field' ? `a${(this.aliases += 1)}: ` : '';
    let text = kind === 'on' ? `... on ${name}${below}` : `${alias}${name}${args}${below}`;
    for (let i = 0; i < conditions; i += 1)
      text = `... @include(if: $v${(this.conditions += 1) - 1}) { ${text} }`;
    return text;
  }
}
