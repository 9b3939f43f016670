import {
  getNamedType,
  GraphQLList,
  isAbstractType,
  isCompositeType,
  isListType,
  isNonNullType,
  Kind,
  type DocumentNode,
  type FieldNode,
  type GraphQLCompositeType,
  type GraphQLOutputType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { fragmentBody, fragmentsOf, typeOfFragment, type Fragments } from '#server/graphql/fragments.ts';
import type { Grants } from './grants.ts';
import type { Requirement, Requirements } from './requirements.ts';

/** A field of an operation that requires a right. */
export interface ProtectedField {
  readonly node: FieldNode;
  /** Response keys from the root, and `@` for the elements of a list. */
  readonly path: readonly string[];
  /** The object types that may have this field at this path. */
  readonly parents: ReadonlySet<string>;
  readonly requirements: readonly Requirement[];
}

/** The protected fields of one operation, found once. The caller's grants decide which of them are refused. */
export class ProtectedFields {
  readonly fields: readonly ProtectedField[];
  private readonly distinct: readonly Requirement[];

  constructor(
    schema: GraphQLSchema,
    requirements: Requirements,
    document: DocumentNode,
    operation: OperationDefinitionNode,
  ) {
    this.fields = requirements.isEmpty ? [] : new Finder(schema, requirements, document).find(operation);
    const byKey = new Map(
      this.fields.flatMap((field) => field.requirements.map((one) => [one.key, one] as const)),
    );
    this.distinct = [...byKey.values()];
  }

  /** A digit for each requirement: callers with equal masks may read the same fields. Empty if no field is refused. */
  maskOf(grants: Grants): string {
    if (this.distinct.length === 0) return '';
    let mask = '';
    for (const requirement of this.distinct) mask += requirement.isMet(grants) ? '1' : '0';
    return mask.includes('0') ? mask : '';
  }

  refusedTo(grants: Grants): ProtectedField[] {
    return this.fields.filter((field) => !field.requirements.every((one) => one.isMet(grants)));
  }
}

class Finder {
  private readonly schema: GraphQLSchema;
  private readonly requirements: Requirements;
  private readonly fragments: Fragments;
  /** Whether a fragment contains a protected field at any depth; `walk` skips those that contain none. */
  private readonly containing = new Map<string, boolean>();
  private readonly found: ProtectedField[] = [];

  constructor(schema: GraphQLSchema, requirements: Requirements, document: DocumentNode) {
    this.schema = schema;
    this.requirements = requirements;
    this.fragments = fragmentsOf(document);
  }

  find(operation: OperationDefinitionNode): readonly ProtectedField[] {
    const root = this.schema.getRootType(operation.operation);
    if (root) this.walk(operation.selectionSet, root, [], new Set());
    return this.found;
  }

  /**
   * Adds one entry for each path, so the work grows with the expanded operation, which `OPERATION_LIMITS.selections`
   * bounds.
   * @param spread the fragments that were spread at this path already; another spread would add the same fields
   */
  private walk(
    set: SelectionSetNode,
    parent: GraphQLCompositeType,
    path: readonly string[],
    spread: Set<string>,
  ): void {
    for (const selection of set.selections) {
      if (selection.kind === Kind.FIELD) {
        this.addField(selection, parent, path);
        continue;
      }
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        const name = selection.name.value;
        if (spread.has(name) || !this.contains(name)) continue;
        spread.add(name);
      }
      const body = fragmentBody(this.fragments, selection);
      if (body) this.walk(body.selectionSet, typeOfFragment(this.schema, body, parent), path, spread);
    }
  }

  private contains(name: string): boolean {
    const known = this.containing.get(name);
    if (known !== undefined) return known;
    this.containing.set(name, false); // ends the recursion of a fragment that spreads itself, which validation refuses as well
    const body = this.fragments.get(name);
    const condition = body && this.schema.getType(body.typeCondition.name.value);
    const contains =
      isCompositeType(condition) && body !== undefined && this.isProtected(body.selectionSet, condition);
    this.containing.set(name, contains);
    return contains;
  }

  private isProtected(set: SelectionSetNode, parent: GraphQLCompositeType): boolean {
    return set.selections.some((selection) => {
      if (selection.kind === Kind.FRAGMENT_SPREAD) return this.contains(selection.name.value);
      if (selection.kind === Kind.INLINE_FRAGMENT)
        return this.isProtected(selection.selectionSet, typeOfFragment(this.schema, selection, parent));
      const field = this.fieldOf(parent, selection);
      if (!field) return false;
      if (this.requirementsOf(parent, selection.name.value, field.type).length > 0) return true;
      const named = getNamedType(field.type);
      return selection.selectionSet !== undefined && isCompositeType(named)
        ? this.isProtected(selection.selectionSet, named)
        : false;
    });
  }

  private fieldOf(parent: GraphQLCompositeType, node: FieldNode) {
    return 'getFields' in parent ? parent.getFields()[node.name.value] : undefined;
  }

  private addField(node: FieldNode, parent: GraphQLCompositeType, path: readonly string[]): void {
    const type = this.fieldOf(parent, node)?.type;
    if (!type) return;
    const name = node.name.value;
    const here = [...path, node.alias?.value ?? name];
    const requirements = this.requirementsOf(parent, name, type);
    if (requirements.length > 0) {
      const parents = isAbstractType(parent) ? this.schema.getPossibleTypes(parent) : [parent];
      this.found.push({
        node,
        path: here,
        parents: new Set(parents.map((one) => one.name)),
        requirements,
      });
    }
    const named = getNamedType(type);
    if (node.selectionSet && isCompositeType(named))
      this.walk(node.selectionSet, named, [...here, ...listSteps(type)], new Set());
  }

  /**
   * The requirements of the field, of its type, and of every possible type of the parent. If one of them is not met, the
   * field is refused, because the concrete type is not known before the execution.
   * In the composed supergraph an interface's field has the requirements of its implementations (Federation 2.12), but an
   * implementation's field does not have those of its interface.
   */
  private requirementsOf(
    parent: GraphQLCompositeType,
    field: string,
    type: GraphQLOutputType,
  ): Requirement[] {
    const all = [
      ...this.requirements.ofField(parent.name, field),
      ...this.requirements.ofType(getNamedType(type).name),
    ];
    if (isAbstractType(parent)) {
      for (const possible of this.schema.getPossibleTypes(parent))
        all.push(
          ...this.requirements.ofType(possible.name),
          ...this.requirements.ofField(possible.name, field),
        );
    } else {
      all.push(...this.requirements.ofType(parent.name));
    }
    return [...new Map(all.map((one) => [one.key, one])).values()];
  }
}

/** One `@` for each list around the named type, as in `ProtectedField.path`. */
function listSteps(type: GraphQLOutputType): string[] {
  const found: string[] = [];
  for (let inner: GraphQLOutputType = type; isNonNullType(inner) || isListType(inner); inner = inner.ofType)
    if (inner instanceof GraphQLList) found.push('@');
  return found;
}
