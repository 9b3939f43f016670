import type { IncomingMessage } from 'node:http';

/** The body as text; undefined if the client broke it off. The caller has checked `Content-Length`, which Node enforces. */
export function readBody(req: IncomingMessage): Promise<string | undefined> {
  return new Promise((resolve) => {
    let first: Buffer | undefined;
    let further: Buffer[] | undefined;
    req.on('data', (chunk: Buffer) => {
      if (!first) first = chunk;
      else (further ??= [first]).push(chunk);
    });
    req.on('end', () => resolve(further ? Buffer.concat(further).toString() : (first?.toString() ?? '')));
    req.on('error', () => resolve(undefined));
  });
}
