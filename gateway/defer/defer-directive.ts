import {
  BREAK,
  GraphQLError,
  Kind,
  visit,
  type ASTNode,
  type DirectiveNode,
  type DocumentNode,
  type InlineFragmentNode,
  type SelectionNode,
} from 'graphql';

const NAME = 'defer';

export const isDefer = ({ name }: DirectiveNode): boolean => name.value === NAME;

/** The `@defer` of a fragment; undefined for all other selections. */
export const deferOf = (node: SelectionNode): DirectiveNode | undefined => node.directives?.find(isDefer);

export const isDeferred = (node: SelectionNode): node is InlineFragmentNode =>
  node.kind === Kind.INLINE_FRAGMENT && deferOf(node) !== undefined;

/** The label of a `@defer`, which a validation rule requires to be a text. */
export function labelOf(directive: DirectiveNode): string | undefined {
  const value = argumentOf(directive, 'label');
  return value?.kind === Kind.STRING ? value.value : undefined;
}

export function hasDefer(node: ASTNode): boolean {
  let found = false;
  visit(node, {
    Directive(directive) {
      found = isDefer(directive);
      return found ? BREAK : undefined;
    },
  });
  return found;
}

/** Whether a valid text may contain `@defer`. The check is cheap, and also true if only a comment or a value contains it. */
export const mayDefer = (text: string): boolean =>
  text.includes('@defer') || /@[\s,\uFEFF]+defer\b/.test(text);

/** The document without the directives for which `isRemoved` is true; the same object if there are none. */
export const withoutDefer = (
  document: DocumentNode,
  isRemoved: (directive: DirectiveNode) => boolean = () => true,
): DocumentNode =>
  visit(document, {
    Directive: (directive) => (isDefer(directive) && isRemoved(directive) ? null : undefined),
  });

/**
 * Whether the directive takes effect with these variables.
 * @throws GraphQLError if its condition is null, which a type with a default value allows
 */
export function isActive(directive: DirectiveNode, variables: Readonly<Record<string, unknown>>): boolean {
  const value = argumentOf(directive, 'if');
  if (value?.kind !== Kind.VARIABLE) return value?.kind !== Kind.BOOLEAN || value.value;
  const name = value.name.value;
  // A variable without a value and without a default counts as an absent argument, whose default is true.
  if (!Object.hasOwn(variables, name)) return true;
  const decided = variables[name];
  if (typeof decided === 'boolean') return decided;
  throw new GraphQLError(`Variable "$${name}" decides @defer: expected true or false, got null.`, {
    extensions: { code: 'VALIDATION_FAILED', http: { status: 400 } },
  });
}

/** The names of the variables that decide which directives take effect. */
export function deferVariables(document: DocumentNode): string[] {
  const names = new Set<string>();
  visit(document, {
    Directive(directive) {
      const value = isDefer(directive) ? argumentOf(directive, 'if') : undefined;
      if (value?.kind === Kind.VARIABLE) names.add(value.name.value);
    },
  });
  return [...names];
}

const argumentOf = ({ arguments: given = [] }: DirectiveNode, name: string) =>
  given.find((argument) => argument.name.value === name)?.value;
