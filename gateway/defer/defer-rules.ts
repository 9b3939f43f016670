import {
  GraphQLError,
  Kind,
  OperationTypeNode,
  specifiedRules,
  visit,
  type ASTNode,
  type ASTVisitor,
  type DirectiveNode,
  type ValidationContext,
  type ValidationRule,
} from 'graphql';
import { nonNullInOneOf } from '../operations/one-of-rule.ts';
import { hasDefer, isDefer } from './defer-directive.ts';

/** A label is a text, and names one fragment. */
function uniqueLabels(context: ValidationContext): ASTVisitor {
  const known = new Map<string, DirectiveNode>();
  return {
    Directive(directive) {
      const label = isDefer(directive)
        ? directive.arguments?.find(({ name }) => name.value === 'label')?.value
        : undefined;
      if (!label) return;
      if (label.kind !== Kind.STRING)
        return refuse(context, 'The label of @defer is a text, and not a variable or null.', directive);
      const before = known.get(label.value);
      if (before)
        refuse(context, `Several fragments are deferred with the label "${label.value}".`, before, directive);
      else known.set(label.value, directive);
    },
  };
}

/** Root fields of a mutation run one after the other, so they cannot be deferred. */
const notAtRootOfMutation = (context: ValidationContext): ASTVisitor => ({
  Directive(directive) {
    const mutation = context.getSchema().getMutationType();
    if (isDefer(directive) && mutation && context.getParentType() === mutation)
      refuse(
        context,
        'Root fields of a mutation cannot be deferred: use @defer inside of one of them.',
        directive,
      );
  },
});

/** Each event of a subscription would be several messages, which subscribers could not share. */
const notInSubscription = (context: ValidationContext): ASTVisitor => ({
  OperationDefinition(operation) {
    if (operation.operation !== OperationTypeNode.SUBSCRIPTION) return;
    const parts: ASTNode[] = [operation, ...context.getRecursivelyReferencedFragments(operation)];
    for (const part of parts)
      if (hasDefer(part))
        return refuse(
          context,
          'A subscription cannot have @defer: its events are sent whole.',
          ...defersIn(part),
        );
  },
});

/** The rules for operations of clients besides those of graphql-js 16: about `@defer`, and about variables in `@oneOf` inputs. */
export const FURTHER_RULES: readonly ValidationRule[] = [
  uniqueLabels,
  notAtRootOfMutation,
  notInSubscription,
  nonNullInOneOf,
];

/** All rules for operations of clients. */
export const OPERATION_RULES: readonly ValidationRule[] = [...specifiedRules, ...FURTHER_RULES];

function defersIn(node: ASTNode): DirectiveNode[] {
  const found: DirectiveNode[] = [];
  visit(node, { Directive: (directive) => void (isDefer(directive) && found.push(directive)) });
  return found;
}

const refuse = (context: ValidationContext, message: string, ...nodes: ASTNode[]): void =>
  context.reportError(new GraphQLError(message, { nodes }));
