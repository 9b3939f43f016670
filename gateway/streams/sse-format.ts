import type { StreamFormat } from './stream-format.ts';

/**
 * GraphQL over SSE, distinct connections mode: https://github.com/enisdenjo/graphql-sse/blob/master/PROTOCOL.md.
 * JSON contains no line breaks, so the data of an event is one line. `complete` has an empty `data:` line, because browsers
 * ignore an event without data.
 */
export const sseFormat: StreamFormat = {
  mediaType: 'text/event-stream',
  parameters: {},
  contentType: 'text/event-stream; charset=utf-8',
  opening: ':\n\n',
  heartbeat: ':\n\n',
  complete: 'event: complete\ndata:\n\n',
  result: (json) => `event: next\ndata: ${json}\n\n`,
  failed: (json) => `event: next\ndata: {"errors":${json}}\n\nevent: complete\ndata:\n\n`,
  // Without `complete` clients connect again.
  interrupted: (json) => `event: next\ndata: {"errors":${json}}\n\n`,
};
