import type { ApolloServerOptions, BaseContext } from '@apollo/server';
import type { DocumentNode } from 'graphql';
import { boundedCache, bytesOfText } from '../observability/bounded-cache.ts';

/**
 * Measured on the heap with operations of 90 to 6,000 characters: a document, and each character of its text. The tokens,
 * to which the parser links each node, are the largest part.
 */
const BYTES_PER_DOCUMENT = 2_500;
const BYTES_PER_CHARACTER = 60;

/**
 * Apollo Server's cache of parsed and validated documents. Its default cache counts the bytes of a document's JSON, which is
 * a fraction of the memory that the document takes, and has no metric.
 */
export function documentStore(): NonNullable<ApolloServerOptions<BaseContext>['documentStore']> {
  const cache = boundedCache<string, DocumentNode>({
    name: 'parsed_documents',
    maxEntries: 1_000,
    maxBytes: 16 * 1024 * 1024, // 16 MiB
    bytesOf: ({ loc }, key) =>
      bytesOfText(key) + BYTES_PER_DOCUMENT + BYTES_PER_CHARACTER * (loc ? loc.end - loc.start : 0),
  });
  return {
    get: async (key) => cache.get(key),
    set: async (key, document) => void cache.set(key, document),
    delete: async (key) => cache.delete(key),
  };
}
