import type { ApolloServerPlugin, BaseContext } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import type { Logger } from '../observability/logger.ts';

/** The options of every Apollo Server of the platform: it writes to the platform's log, and calls no other host. */
export const apolloOptions = (log: Logger) => ({
  // Allowed or refused for each request, because admins may introspect even if others may not.
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

/** Turns off the plugins that cost the most in a small request, and all that would call other hosts. */
export const quietPlugins = <Context extends BaseContext>(): ApolloServerPlugin<Context>[] => [
  ApolloServerPluginCacheControlDisabled(),
  ApolloServerPluginInlineTraceDisabled(),
  ApolloServerPluginLandingPageDisabled(),
  ApolloServerPluginUsageReportingDisabled(),
  {
    requestDidStart: async () => ({
      // Apollo Server takes the HTTP status from any error, also beside data. But clients read data only from a 2xx answer.
      willSendResponse: async ({ response: { http, body } }) => {
        if (body.kind === 'single' && body.singleResult.data) http.status = 200;
      },
    }),
  },
];
