import type { StreamFormat } from './stream-format.ts';

export const BOUNDARY = 'graphql';
/** The delimiter is written after each part, because clients read a part when its end has arrived. */
export const part = (json: string): string =>
  `\r\nContent-Type: application/json\r\n\r\n${json}\r\n--${BOUNDARY}`;
export const PART_END = '--\r\n';
/** In this protocol errors outside of a result are final. */
const ended = (json: string): string => `${part(`{"payload":null,"errors":${json}}`)}${PART_END}`;

/**
 * Apollo's protocol for subscriptions over HTTP:
 * https://www.apollographql.com/docs/graphos/routing/operations/subscriptions/multipart-protocol
 */
export const multipartFormat: StreamFormat = {
  mediaType: 'multipart/mixed',
  parameters: { subscriptionspec: '1.0' },
  contentType: `multipart/mixed;boundary="${BOUNDARY}";subscriptionSpec=1.0`,
  opening: `\r\n--${BOUNDARY}`,
  heartbeat: part('{}'),
  complete: PART_END,
  result: (json) => part(`{"payload":${json}}`),
  failed: ended,
  interrupted: ended,
};
