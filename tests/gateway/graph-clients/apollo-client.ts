import { ApolloClient, ApolloLink, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { CombinedGraphQLErrors, ServerError } from '@apollo/client/errors';
import { Defer20220824Handler, GraphQL17Alpha9Handler } from '@apollo/client/incremental';
import { RetryLink } from '@apollo/client/link/retry';
import type { Untyped } from '../../support/platform/http-client.ts';
import { authorizationOf, eventsOf, resultOf, RETRY_MILLIS, type MakeClient } from './graph-client.ts';

/** The forms of answers in parts that Apollo Client can read. */
const FORMS = { '2022': Defer20220824Handler, 'v0.2': GraphQL17Alpha9Handler };

/**
 * Apollo Client 4. Subscriptions use Apollo's multipart protocol.
 * @param form of answers in parts
 */
export const apolloClientWith =
  (form: keyof typeof FORMS): MakeClient =>
  (url, token) => {
    const over = (useGETForQueries: boolean) =>
      new ApolloClient({
        cache: new InMemoryCache(),
        incrementalHandler: new FORMS[form](),
        link: ApolloLink.from([
          new RetryLink({
            delay: { initial: RETRY_MILLIS, max: RETRY_MILLIS, jitter: false },
            // 503 is the answer of a gateway that is stopping.
            attempts: {
              max: Infinity,
              retryIf: (error) => !ServerError.is(error) || error.statusCode === 503,
            },
          }),
          new ApolloLink((operation, forward) => {
            operation.setContext({ headers: authorizationOf(token()) });
            return forward(operation);
          }),
          new HttpLink({ uri: `${url}/graphql`, useGETForQueries }),
        ]),
      });
    const [byPost, byGet] = [over(false), over(true)];
    const outcome = ({ data, error }: { data?: unknown; error?: unknown }) =>
      resultOf({ data, ...(CombinedGraphQLErrors.is(error) && { errors: error.errors }) });
    const policies = { errorPolicy: 'all', fetchPolicy: 'no-cache' } as const;
    return {
      name: 'Apollo Client',
      send: async ({ query, variables = {} }) =>
        query.startsWith('mutation')
          ? outcome(await byPost.mutate({ mutation: gql(query), variables, ...policies }))
          : outcome(await byPost.query({ query: gql(query), variables, ...policies })),
      get: async ({ query, variables = {} }) =>
        outcome(await byGet.query({ query: gql(query), variables, ...policies })),
      readParts: ({ query, variables = {} }) =>
        new Promise((resolve, reject) => {
          const states: Untyped[] = [];
          byPost
            .watchQuery({ query: gql(query), variables, fetchPolicy: 'network-only' })
            .subscribe(({ data, dataState, error }) => {
              if (error) return reject(new Error(error.message, { cause: error }));
              if (dataState !== 'empty') states.push(data);
              if (dataState === 'complete') resolve(states);
            });
        }),
      subscribe: ({ query, variables = {} }) =>
        eventsOf((push) => {
          const subscription = byPost
            .subscribe({ query: gql(query), variables })
            .subscribe({ next: ({ data }) => push(data) });
          return () => subscription.unsubscribe();
        }),
    };
  };
