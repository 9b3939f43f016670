import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** A receiver that answers at once, and records how old each event was. */
export interface NotingReceiver {
  readonly url: string;
  /** The milliseconds between the time of an event and its first arrival, by the event's id. */
  readonly ages: ReadonlyMap<string, number>;
  stop(): void;
}

export async function notingReceiver(): Promise<NotingReceiver> {
  const ages = new Map<string, number>();
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const at = Date.now();
      response.writeHead(204).end();
      const { id, occurredAt } = JSON.parse(Buffer.concat(chunks).toString()) as {
        id: string;
        occurredAt: string;
      };
      if (!ages.has(id)) ages.set(id, at - Date.parse(occurredAt));
    });
  });
  return { url: await listening(server), ages, stop: () => stopped(server) };
}

/** A receiver that never answers. */
export async function hangingReceiver(): Promise<{ url: string; requests(): number; stop(): void }> {
  let requests = 0;
  const server = http.createServer(() => (requests += 1));
  return { url: await listening(server), requests: () => requests, stop: () => stopped(server) };
}

async function listening(server: http.Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
}

function stopped(server: http.Server): void {
  server.closeAllConnections();
  server.close();
}
