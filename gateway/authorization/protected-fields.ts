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
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLOutputType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import type { Grants } from './grants.ts';
import type { Requirement, Requirements } from './requirements.ts';

/** A field of an operation that not everybody gets. */
export interface ProtectedField {
  readonly node: FieldNode;
  /** Response keys from the root, `@` for each list on the way. */
  readonly path: readonly string[];
  /** The object types whose field it may be. */
  readonly parents: ReadonlySet<string>;
  readonly requirements: readonly Requirement[];
}

/** The protected fields of one operation, found once; which of them a caller is refused is a question of her grants. */
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

  /** Equal for callers who get and are refused the same: a digit for each requirement. Empty where nothing is refused. */
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
  private readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  private readonly found: ProtectedField[] = [];

  constructor(schema: GraphQLSchema, requirements: Requirements, document: DocumentNode) {
    this.schema = schema;
    this.requirements = requirements;
    this.fragments = new Map(
      document.definitions.flatMap((definition) =>
        definition.kind === Kind.FRAGMENT_DEFINITION ? [[definition.name.value, definition] as const] : [],
      ),
    );
  }

  find(operation: OperationDefinitionNode): readonly ProtectedField[] {
    const root = this.schema.getRootType(operation.operation);
    if (root) this.walk(operation.selectionSet, root, []);
    return this.found;
  }

  private walk(set: SelectionSetNode, parent: GraphQLCompositeType, path: readonly string[]): void {
    for (const selection of set.selections) {
      if (selection.kind === Kind.FIELD) this.field(selection, parent, path);
      else {
        const body =
          selection.kind === Kind.INLINE_FRAGMENT ? selection : this.fragments.get(selection.name.value);
        if (!body) continue;
        const condition = body.typeCondition && this.schema.getType(body.typeCondition.name.value);
        this.walk(body.selectionSet, isCompositeType(condition) ? condition : parent, path);
      }
    }
  }

  private field(node: FieldNode, parent: GraphQLCompositeType, path: readonly string[]): void {
    const name = node.name.value;
    if (name.startsWith('__') || !('getFields' in parent)) return;
    const type = parent.getFields()[name]?.type;
    if (!type) return;
    const here = [...path, node.alias?.value ?? name];
    const requirements = this.of(parent, name, type);
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
      this.walk(node.selectionSet, named, [...here, ...lists(type)]);
  }

  /**
   * Those of the field, of the type that it gives, and of everything that the parent may turn out to be: closed in doubt.
   * An interface's field has those of its objects by composition (Federation 2.12); they do not come down from it.
   */
  private of(parent: GraphQLCompositeType, field: string, type: GraphQLOutputType): Requirement[] {
    const all = [
      ...this.requirements.ofField(parent.name, field),
      ...this.requirements.ofType(getNamedType(type).name),
    ];
    if (isAbstractType(parent))
      for (const possible of this.schema.getPossibleTypes(parent))
        all.push(
          ...this.requirements.ofType(possible.name),
          ...this.requirements.ofField(possible.name, field),
        );
    else all.push(...this.requirements.ofType(parent.name));
    return [...new Map(all.map((one) => [one.key, one])).values()];
  }
}

function lists(type: GraphQLOutputType): string[] {
  const found: string[] = [];
  for (let inner: GraphQLOutputType = type; isNonNullType(inner) || isListType(inner); inner = inner.ofType)
    if (inner instanceof GraphQLList) found.push('@');
  return found;
}
