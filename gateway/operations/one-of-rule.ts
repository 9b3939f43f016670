import {
  getNamedType,
  GraphQLError,
  isInputObjectType,
  Kind,
  type ASTVisitor,
  type ValidationContext,
  type VariableNode,
} from 'graphql';

/**
 * Checks that a variable for a field of an input object with `@oneOf` is non-null. graphql-js 16.15 checks this only if the
 * input object itself may be null.
 */
export function nonNullInOneOf(context: ValidationContext): ASTVisitor {
  const found = new Map<VariableNode, string>();
  return {
    ObjectField({ value }) {
      const given = context.getParentInputType();
      const parent = getNamedType(given);
      if (value.kind !== Kind.VARIABLE || isInputObjectType(given)) return;
      if (isInputObjectType(parent) && parent.isOneOf) found.set(value, parent.name);
    },
    Document: {
      leave({ definitions }) {
        if (found.size === 0) return;
        for (const operation of definitions) {
          if (operation.kind !== Kind.OPERATION_DEFINITION) continue;
          const nullable = new Set(
            operation.variableDefinitions
              ?.filter(({ type }) => type.kind !== Kind.NON_NULL_TYPE)
              .map(({ variable }) => variable.name.value),
          );
          for (const { node } of context.getRecursiveVariableUsages(operation)) {
            const type = found.get(node);
            if (type !== undefined && nullable.has(node.name.value))
              context.reportError(
                new GraphQLError(
                  `Variable "$${node.name.value}" must be non-nullable to be used for OneOf Input Object "${type}".`,
                  { nodes: node },
                ),
              );
          }
        }
      },
    },
  };
}
