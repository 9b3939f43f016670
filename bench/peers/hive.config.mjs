// Hive Gateway: sends the client's token to the subgraphs, and does not verify it. HIVE_SHARING=on keeps its default, by
// which equal concurrent requests to a subgraph are sent once; any other value switches this off.
import { defineConfig } from '@graphql-hive/gateway';

export const gatewayConfig = defineConfig({
  logging: 'error',
  graphiql: false,
  landingPage: false,
  propagateHeaders: {
    fromClientToSubgraphs: ({ request }) => ({ authorization: request.headers.get('authorization') ?? '' }),
  },
  ...(process.env.HIVE_SHARING !== 'on' && {
    transportEntries: { '*.http': { options: { deduplicateInflightRequests: false } } },
  }),
});
