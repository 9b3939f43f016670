import { parse, print, visit, type ConstDirectiveNode } from 'graphql';
import { joinedTypeOf } from './joined-type.ts';

/**
 * The supergraph with the resolvable keys of each type before the others. The reason is that for a field with `@requires`, the
 * planner returns to the field's subgraph by the type's first key, even if that key has `resolvable: false`. The subgraph would
 * then get representations that it cannot resolve.
 */
export function withResolvableKeysFirst(sdl: string): string {
  if (!sdl.includes('resolvable: false')) return sdl;
  const sorted = visit(parse(sdl, { noLocation: true }), {
    ObjectTypeDefinition: (node) => ({ ...node, directives: sortedKeys(node.directives) }),
    InterfaceTypeDefinition: (node) => ({ ...node, directives: sortedKeys(node.directives) }),
  });
  return print(sorted);
}

/** The sort is stable: it changes no other order. */
const sortedKeys = (directives: readonly ConstDirectiveNode[] = []): readonly ConstDirectiveNode[] =>
  directives.toSorted((one, other) => orderOf(one) - orderOf(other));

const orderOf = (directive: ConstDirectiveNode): number =>
  joinedTypeOf(directive)?.resolvable === false ? 1 : 0;
