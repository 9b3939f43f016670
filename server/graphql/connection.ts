import type { Page } from '../paging.ts';

/** A Relay connection (GraphQL Cursor Connections Specification). */
export interface Connection<Node> {
  edges: { cursor: string; node: Node }[];
  nodes: Node[];
  pageInfo: {
    hasNextPage: boolean;
    hasPreviousPage: boolean;
    startCursor: string | null;
    endCursor: string | null;
  };
}

/** A page as a Relay connection, with the same cursors as in REST. */
export function connectionOf<Node>(page: Page<Node>): Connection<Node> {
  const edges = page.items.map((node) => ({ cursor: page.cursorOf(node), node }));
  return {
    edges,
    nodes: [...page.items],
    pageInfo: {
      hasNextPage: page.hasNextPage,
      hasPreviousPage: page.hasPreviousPage,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
  };
}

/** The rules' page request for `first` and `after` of a connection. */
export const pageOf = (args: { first?: number | null | undefined; after?: string | null | undefined }) => ({
  limit: args.first ?? undefined,
  cursor: args.after,
});
