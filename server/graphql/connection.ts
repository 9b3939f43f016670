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

/**
 * A page as a Relay connection, with the same cursors as in REST. A cursor is computed only when it is read, because it
 * contains a checksum, and most queries select no cursors.
 */
export function connectionOf<Node>(page: Page<Node>): Connection<Node> {
  const { items } = page;
  const cursorAt = (index: number): string | null => {
    const item = items.at(index);
    return item === undefined ? null : page.cursorOf(item);
  };
  return {
    get edges() {
      return items.map((node) => ({
        node,
        get cursor() {
          return page.cursorOf(node);
        },
      }));
    },
    get nodes() {
      return [...items];
    },
    pageInfo: {
      hasNextPage: page.hasNextPage,
      hasPreviousPage: page.hasPreviousPage,
      get startCursor() {
        return cursorAt(0);
      },
      get endCursor() {
        return cursorAt(-1);
      },
    },
  };
}

/** The rules' page request for `first` and `after` of a connection. */
export const pageOf = (args: { first?: number | null | undefined; after?: string | null | undefined }) => ({
  limit: args.first ?? undefined,
  cursor: args.after,
});
