import type { Request } from 'express';
import { getOperationAST, type DocumentNode, type OperationTypeNode } from 'graphql';
import { isJsonObject, jsonIn, type JsonObject } from '#server/json-object.ts';
import type { DocumentCache } from '../operations/document-cache.ts';
import type { SocketOperation } from '../websocket/websocket-server.ts';

interface SentOperation {
  readonly operation: SocketOperation;
  readonly kind: OperationTypeNode;
}

/**
 * The operation in the request, if it is valid; undefined for what Apollo Server refuses, and for a batch.
 * @param isConsidered whether the text is worth parsing
 */
export function validOperation(
  req: Request,
  documents: DocumentCache,
  isConsidered: (text: string) => boolean,
): SentOperation | undefined {
  const sent = sentIn(req);
  const { query, variables } = sent;
  if (typeof query !== 'string' || !isConsidered(query)) return undefined;
  if (variables !== undefined && variables !== null && !isJsonObject(variables)) return undefined;
  const operationName = typeof sent.operationName === 'string' ? sent.operationName || undefined : undefined;
  const document = validDocument(query, documents);
  const operation = document && getOperationAST(document, operationName);
  if (!operation) return undefined;
  return { operation: { document, operationName, variables: variables ?? {} }, kind: operation.operation };
}

/** The parameters of the operation, by GET in the URL, by POST in the body. */
function sentIn({ method, url, body }: Request): JsonObject {
  if (method === 'POST') return isJsonObject(body) ? body : {};
  if (method !== 'GET') return {};
  const { searchParams } = new URL(url, 'http://gateway');
  const variables = searchParams.get('variables');
  return {
    query: searchParams.get('query'),
    operationName: searchParams.get('operationName'),
    variables: variables === null || variables === '' ? undefined : (jsonIn(variables) ?? 'not JSON'),
  };
}

function validDocument(text: string, documents: DocumentCache): DocumentNode | undefined {
  try {
    const { document, errors } = documents.of(text);
    return errors.length === 0 ? document : undefined;
  } catch {
    return undefined;
  }
}
