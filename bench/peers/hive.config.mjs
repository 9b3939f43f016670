// Hive Gateway: passes the token on, verifies nothing. HIVE_SHARING=on leaves its sharing of equal requests in flight on, as it is by default.
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
