import {
  isAbstractType,
  Kind,
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type GraphQLSchema,
  type InlineFragmentNode,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { fragmentsOf, type Fragments } from '#server/graphql/fragments.ts';
import { isDeferred } from '../defer/defer-directive.ts';

/** Values of the variables of @skip and @include. */
export type Conditions = ReadonlyMap<string, boolean>;

interface Collected {
  readonly fields: Map<string, FieldNode[]>;
  /** The fragments that were spread already. */
  readonly spread: Set<string>;
  readonly deferred?: InlineFragmentNode[];
}

/** The fields that a document selects: fragments expanded, @skip and @include applied, deferred fragments left out. */
export class SelectedFields {
  private readonly schema: GraphQLSchema;
  private readonly fragments: Fragments;
  private readonly conditions: Conditions;

  constructor(schema: GraphQLSchema, document: DocumentNode, conditions: Conditions) {
    this.schema = schema;
    this.fragments = fragmentsOf(document);
    this.conditions = conditions;
  }

  /** The fields of an object of this type by their names in the response, in the specification's order. */
  of(
    type: GraphQLObjectType,
    selectionSets: readonly SelectionSetNode[],
  ): ReadonlyMap<string, readonly FieldNode[]> {
    const fields = new Map<string, FieldNode[]>();
    const spread = new Set<string>();
    for (const selectionSet of selectionSets) this.collect(type, selectionSet, { fields, spread });
    return fields;
  }

  /** The deferred fragments of an object of this type. */
  deferredOf(
    type: GraphQLObjectType,
    selectionSets: readonly SelectionSetNode[],
  ): readonly InlineFragmentNode[] {
    const found: Collected = { fields: new Map(), spread: new Set(), deferred: [] };
    for (const selectionSet of selectionSets) this.collect(type, selectionSet, found);
    return found.deferred ?? [];
  }

  private collect(type: GraphQLObjectType, { selections }: SelectionSetNode, found: Collected): void {
    const { fields, spread, deferred } = found;
    for (const node of selections) {
      if (this.isSkipped(node.directives ?? [])) continue;
      if (node.kind === Kind.FIELD) {
        const key = node.alias?.value ?? node.name.value;
        const same = fields.get(key);
        if (same) same.push(node);
        else fields.set(key, [node]);
        continue;
      }
      const fragment = node.kind === Kind.INLINE_FRAGMENT ? node : this.fragmentOf(node.name.value, spread);
      if (!fragment || !this.applies(fragment.typeCondition?.name.value, type)) continue;
      if (isDeferred(node)) deferred?.push(node);
      else this.collect(type, fragment.selectionSet, found);
    }
  }

  private fragmentOf(name: string, spread: Set<string>): FragmentDefinitionNode | undefined {
    if (spread.has(name)) return undefined;
    spread.add(name);
    return this.fragments.get(name);
  }

  private applies(condition: string | undefined, type: GraphQLObjectType): boolean {
    if (condition === undefined || condition === type.name) return true;
    const conditional = this.schema.getType(condition);
    return isAbstractType(conditional) && this.schema.isSubType(conditional, type);
  }

  private isSkipped(directives: readonly DirectiveNode[]): boolean {
    for (const directive of directives) {
      const skip = directive.name.value === 'skip';
      if (!skip && directive.name.value !== 'include') continue;
      const value = conditionOf(directive);
      const given = value?.kind === Kind.VARIABLE ? this.conditions.get(value.name.value) : value?.value;
      if (given === skip) return true;
    }
    return false;
  }
}

/** Names of the variables of @skip and @include. */
export function conditionVariables(document: DocumentNode, operation: OperationDefinitionNode): string[] {
  const names = new Set<string>();
  const fragments = fragmentsOf(document);
  const spread = new Set<string>();
  const visit = ({ selections }: SelectionSetNode): void => {
    for (const node of selections) {
      for (const directive of node.directives ?? []) {
        const value = conditionOf(directive);
        if (value?.kind === Kind.VARIABLE) names.add(value.name.value);
      }
      if (node.kind === Kind.FRAGMENT_SPREAD) {
        const fragment = spread.has(node.name.value) ? undefined : fragments.get(node.name.value);
        spread.add(node.name.value);
        if (fragment) visit(fragment.selectionSet);
      } else if (node.selectionSet) visit(node.selectionSet);
    }
  };
  visit(operation.selectionSet);
  return [...names];
}

/** The `if` argument of @skip or @include; undefined for other directives. */
function conditionOf({ name, arguments: given = [] }: DirectiveNode) {
  if (name.value !== 'skip' && name.value !== 'include') return undefined;
  const value = given.find((argument) => argument.name.value === 'if')?.value;
  return value?.kind === Kind.VARIABLE || value?.kind === Kind.BOOLEAN ? value : undefined;
}
