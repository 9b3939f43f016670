import { ClientError, GraphQLClient } from 'graphql-request';
import { authorizationOf, resultOf, type GraphOperation, type MakeClient } from './graph-client.ts';

export const graphqlRequest: MakeClient = (url, token) => {
  const over = (method: 'GET' | 'POST') =>
    new GraphQLClient(`${url}/graphql`, {
      method,
      errorPolicy: 'all',
      headers: () => authorizationOf(token()),
    });
  const [byPost, byGet] = [over('POST'), over('GET')];
  const send = async (client: GraphQLClient, { query, variables = {} }: GraphOperation) => {
    try {
      return resultOf((await client.rawRequest(query, variables)) as object);
    } catch (error) {
      if (error instanceof ClientError) return resultOf(error.response);
      throw error;
    }
  };
  return {
    name: 'graphql-request',
    send: (operation) => send(byPost, operation),
    get: (operation) => send(byGet, operation),
  };
};
