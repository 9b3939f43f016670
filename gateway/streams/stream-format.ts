import type { IncomingHttpHeaders } from 'node:http';
import { multipartFormat } from './multipart-format.ts';
import { sseFormat } from './sse-format.ts';

/** A protocol in which results are streamed as the body of one HTTP response. Every text contains whole messages. */
export interface StreamFormat {
  /** As in `Accept`, with the parameters that the client has to send. */
  readonly mediaType: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly contentType: string;
  /** The first bytes of the body. They show client and proxies that the stream is open. */
  readonly opening: string;
  /** Empty if there are none. */
  readonly heartbeat: string;
  /** The operation is over. */
  readonly complete: string;
  /** @param json an execution result */
  result(json: string): string;
  /** The operation is over, because of these errors. @param json the list of errors */
  failed(json: string): string;
  /** The stream is over because of these errors, but not the operation: the client should send it again. */
  interrupted(json: string): string;
}

const FORMATS: readonly StreamFormat[] = [sseFormat, multipartFormat];

/**
 * The format of a stream for a client: the one that its `Accept` names first, or with the highest weight. Wildcards do not
 * count, because a client that accepts anything would wait for the end of the stream.
 */
export function streamFormatFor({ accept }: IncomingHttpHeaders): StreamFormat | undefined {
  if (!accept) return undefined;
  let best: { format: StreamFormat; weight: number } | undefined;
  for (const { mediaType, parameters, weight } of acceptedRanges(accept)) {
    const format = FORMATS.find((one) => matches(one, mediaType, parameters));
    if (format && weight > (best?.weight ?? 0)) best = { format, weight };
  }
  return best?.format;
}

/** The media types of an `Accept`, in its order. */
export const acceptedRanges = (accept: string) =>
  accept.split(',').map((range) => {
    const [mediaType = '', ...rest] = range.split(';').map((part) => part.trim().toLowerCase());
    const parameters: ReadonlyMap<string, string> = new Map(rest.map(nameAndValue));
    return { mediaType, parameters, weight: Number(parameters.get('q') ?? 1) };
  });

function nameAndValue(parameter: string): [string, string] {
  const [name = '', value = ''] = parameter.split('=', 2);
  return [name.trim(), value.trim().replaceAll('"', '')];
}

const matches = (format: StreamFormat, mediaType: string, given: ReadonlyMap<string, string>): boolean =>
  format.mediaType === mediaType &&
  Object.entries(format.parameters).every(([name, value]) => given.get(name) === value);
