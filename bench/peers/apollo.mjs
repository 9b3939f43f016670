// @apollo/gateway and @apollo/server with their defaults: `node apollo.mjs <supergraph file> <port>`. They send the client's
// token to the subgraphs, and do not verify it.
import { readFileSync } from 'node:fs';
import { ApolloGateway, RemoteGraphQLDataSource } from '@apollo/gateway';
import { ApolloServer } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';

const [file, port] = process.argv.slice(2);

class DataSourceWithToken extends RemoteGraphQLDataSource {
  willSendRequest({ request, context }) {
    if (context.authorization) request.http?.headers.set('authorization', context.authorization);
  }
}

const server = new ApolloServer({
  gateway: new ApolloGateway({
    supergraphSdl: readFileSync(file, 'utf8'),
    buildService: ({ url }) => new DataSourceWithToken({ url }),
  }),
});
const { url } = await startStandaloneServer(server, {
  listen: { port: Number(port), host: '127.0.0.1' },
  context: async ({ req }) => ({ authorization: req.headers.authorization }),
});
console.log(`ready ${url}`);
