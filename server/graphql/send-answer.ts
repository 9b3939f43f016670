import type { IncomingMessage, ServerResponse } from 'node:http';
import type { GraphAnswer } from './apollo-answer.ts';
import { compressorFor } from '../http/compression.ts';

/** Sends an answer of the graph, compressed if the client accepts that. Both the fast path and Express call it. */
export function sendAnswer(
  req: IncomingMessage,
  res: ServerResponse,
  { status, headers, body }: GraphAnswer,
): void {
  const bytes = Buffer.from(body);
  const compressor = compressorFor(req, bytes);
  if (!compressor) return send(res, status, headers, bytes);
  compressor.compress(bytes, (error, compressed) => {
    if (error) return void res.destroy(error);
    send(res, status, { ...headers, 'Content-Encoding': compressor.encoding }, compressed);
  });
}

function send(
  res: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  body: Buffer,
): void {
  res.writeHead(status, { ...headers, 'Content-Length': String(body.length) });
  res.end(body);
}
