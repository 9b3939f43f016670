import type { ApolloServerPlugin, BaseContext } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import type { Logger } from '../observability/logger.ts';

/** What every Apollo Server of the platform has in common: it says what matters in our log, and calls nobody. */
export const apolloOptions = (log: Logger) => ({
  // Decided for each request, because admins may where others may not.
  introspection: true,
  includeStacktraceInErrorResponses: false,
  stopOnTerminationSignals: false,
  logger: {
    debug: () => undefined,
    info: () => undefined,
    warn: (message: string) => log.warn(message),
    error: (message: string) => log.error(message),
  },
});

/** Without the plugins that cost the most of a small request, and all that would call out. */
export const quietPlugins = <Context extends BaseContext>(): ApolloServerPlugin<Context>[] => [
  ApolloServerPluginCacheControlDisabled(),
  ApolloServerPluginInlineTraceDisabled(),
  ApolloServerPluginLandingPageDisabled(),
  ApolloServerPluginUsageReportingDisabled(),
  {
    requestDidStart: async () => ({
      // Apollo Server takes the status from any error, also beside data, which clients read of a 2xx only.
      willSendResponse: async ({ response: { http, body } }) => {
        if (body.kind === 'single' && body.singleResult.data) http.status = 200;
      },
    }),
  },
];
