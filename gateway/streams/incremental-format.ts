import type { IncomingHttpHeaders } from 'node:http';
import { answerTypeFor } from '#server/graphql/media-types.ts';
import type { IncrementalForm } from '../defer/incremental-result.ts';
import { BOUNDARY, part, PART_END } from './multipart-format.ts';
import { sseFormat } from './sse-format.ts';
import { acceptedRanges, type StreamFormat } from './stream-format.ts';

/** How an answer in parts is sent: the protocol, and the form of its messages. */
export interface IncrementalFormat {
  readonly form: IncrementalForm;
  readonly stream: StreamFormat;
}

const failed = (json: string): string => `${part(`{"errors":${json},"hasNext":false}`)}${PART_END}`;

const multipart = (form: IncrementalForm, parameter: string): IncrementalFormat => ({
  form,
  stream: {
    mediaType: 'multipart/mixed',
    parameters: {},
    contentType: `multipart/mixed;boundary="${BOUNDARY}";${parameter}`,
    opening: `\r\n--${BOUNDARY}`,
    heartbeat: '', // the answer ends soon, by the time limits of the services
    complete: PART_END,
    result: part,
    failed,
    interrupted: failed,
  },
});

const DRAFT_2022 = multipart('2022', 'deferSpec=20220824');
const DRAFT_V0_2 = multipart('v0.2', 'incrementalSpec=v0.2');
const OVER_SSE: IncrementalFormat = { form: '2022', stream: { ...sseFormat, heartbeat: '' } };

/**
 * The form of an answer in parts for a client: multipart if its `Accept` names it, server-sent events if it accepts nothing
 * else. Undefined: the client gets whole answers.
 */
export function incrementalFormatFor(headers: IncomingHttpHeaders): IncrementalFormat | undefined {
  const { accept } = headers;
  if (!accept) return undefined;
  const isOtherSpec = (parameters: ReadonlyMap<string, string>): boolean =>
    parameters.has('subscriptionspec') ||
    (parameters.has('incrementalspec') && parameters.get('incrementalspec') !== 'v0.2') ||
    (parameters.has('deferspec') && parameters.get('deferspec') !== '20220824');
  for (const { mediaType, parameters, weight } of acceptedRanges(accept)) {
    if (weight <= 0) continue;
    if (mediaType === 'multipart/mixed' && !isOtherSpec(parameters))
      return parameters.has('incrementalspec') ? DRAFT_V0_2 : DRAFT_2022;
  }
  const namesSse = accept.toLowerCase().includes('text/event-stream');
  return namesSse && !answerTypeFor(headers) ? OVER_SSE : undefined;
}
