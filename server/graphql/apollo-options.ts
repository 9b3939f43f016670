import type { ApolloServerPlugin, BaseContext } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import type { Logger } from '../observability/logger.ts';

/** The options of every Apollo Server of the platform, which writes to the platform's log. */
export const apolloOptions = (log: Logger) => ({
  // The platform decides for each request, because admins may introspect even if others may not.
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

/**
 * Plugins that turn off parts of Apollo Server, which take the most time in a small request or would call other hosts, and a
 * plugin that answers 200 if the response has data.
 */
export const quietPlugins = <Context extends BaseContext>(): ApolloServerPlugin<Context>[] => [
  ApolloServerPluginCacheControlDisabled(),
  ApolloServerPluginInlineTraceDisabled(),
  ApolloServerPluginLandingPageDisabled(),
  ApolloServerPluginUsageReportingDisabled(),
  {
    requestDidStart: async () => ({
      // Apollo Server sets the HTTP status of an error even if the response has data, but clients read data only from a 2xx.
      willSendResponse: async ({ response: { http, body } }) => {
        if (body.kind === 'single' && body.singleResult.data) http.status = 200;
      },
    }),
  },
];
